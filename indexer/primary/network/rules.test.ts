import { configSchema } from "../../../core/config/config-schema.ts";
import { UNSCHEDULED, UPGRADES } from "../../../core/networks/upgrades.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";
import { chosenRules, differOnlyAfter } from "./rule-sources.ts";
import {
  defaultRules,
  formatRules,
  type NetworkRules,
  parseDynamicFees,
  parseL1Fees,
  parseRules,
  parseUpgrades,
} from "./rules.ts";

const [settings] = configSchema.shape.primaryNetworks.parse([{ network: "fuji", nodeUrl: "http://127.0.0.1:9" }]);
const { rewards } = settings as NonNullable<typeof settings>;
const OWN = 76001;

describeAllRecordings("the rules that a node reports", (folder) => {
  const result = (path: string, method: string): unknown =>
    JSON.parse(openRecording(folder).answer(path, method)?.text ?? "null");

  it("are parsed completely, and stay equal when they are stored and loaded", () => {
    const upgrades = result("/ext/info", "info.upgrades") as Record<string, string>;
    const l1Fees = result("/ext/bc/P", "platform.getValidatorFeeConfig") as Record<string, number>;
    const fees = result("/ext/bc/P", "platform.getFeeConfig") as Record<string, number> & { weights: number[] };
    const rules: NetworkRules = {
      ...defaultRules(OWN),
      upgrades: parseUpgrades(upgrades),
      l1Fees: parseL1Fees(l1Fees),
      dynamicFees: parseDynamicFees(fees),
    };
    for (const name of UPGRADES)
      expect(new Date(rules.upgrades[name] * 1_000).toISOString()).toBe(
        new Date(upgrades[`${name}Time`] ?? "").toISOString(),
      );
    for (const [name, value] of Object.entries(rules.l1Fees)) expect(Number(value)).toBe(l1Fees[name]);
    const { weights, ...others } = rules.dynamicFees;
    for (const [name, value] of Object.entries(others)) expect(Number(value)).toBe(fees[name]);
    expect(Object.values(weights).map(Number)).toEqual(fees.weights);
    expect(parseRules(formatRules(rules))).toEqual(rules);
  });
});

describe("upgrades", () => {
  const CORTINA = { apricotPhase1Time: "2021-03-31T14:00:00Z", cortinaTime: "2023-04-25T15:00:00.5+00:00" };

  it("that a file does not contain are not scheduled, and all upgrades before a scheduled one are required", () => {
    expect(() => parseUpgrades(CORTINA)).toThrow("cortina becomes active before banff");
    const times = UPGRADES.slice(0, 10).map((name) => [`${name}Time`, "2021-03-31T14:00:00Z"]);
    const upgrades = parseUpgrades(Object.fromEntries(times));
    expect([upgrades.cortina, upgrades.durango, upgrades.helicon]).toEqual([1_617_199_200, UNSCHEDULED, UNSCHEDULED]);
  });

  it.each([[null], [[]], [{}], [{ networkID: 1 }], [{ banffTime: "soon" }]])("cannot be parsed from %j", (answer) => {
    expect(() => parseUpgrades(answer)).toThrow();
  });

  it.each([1, 5, OWN])("of network %d have ascending times", (networkId) => {
    const times = UPGRADES.map((name) => defaultRules(networkId).upgrades[name]);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(UNSCHEDULED).toBe(Date.parse("9999-12-01T00:00:00Z") / 1_000);
  });
});

describe("the chosen rules", () => {
  const base = defaultRules(OWN);
  const reported = { upgrades: { ...base.upgrades, granite: 2e9 }, l1Fees: { ...base.l1Fees, target: 3n } };

  it("of a custom network are those of the file, else the node's, else the stored ones, else the defaults", () => {
    const file = { ...base.upgrades, etna: 1.9e9, fortuna: 1.9e9, granite: 1.9e9 };
    const of = { networkId: OWN, rewards };
    expect(chosenRules(of, null, {}, null)).toEqual(base);
    const stored = chosenRules(of, null, reported, null);
    expect(stored).toEqual({ ...base, ...reported });
    expect(chosenRules(of, null, {}, stored)).toEqual(stored);
    expect(chosenRules(of, file, reported, stored)).toEqual({ ...stored, upgrades: file });
  });

  it("of mainnet are built in; only new upgrades are read from the node", () => {
    const mainnet = defaultRules(1);
    const upgrades = { ...reported.upgrades, helicon: 2.1e9 };
    const chosen = chosenRules({ networkId: 1, rewards }, null, { ...reported, upgrades }, null);
    expect(chosen).toEqual({ ...mainnet, upgrades: { ...mainnet.upgrades, helicon: 2.1e9 } });
  });

  it("may change for future upgrades, and in fees before Etna", () => {
    const later = { ...base, upgrades: { ...base.upgrades, helicon: 2e9 } };
    expect([differOnlyAfter(base, later, 1.9e9), differOnlyAfter(base, later, 2e9)]).toEqual([true, false]);
    const dearer = { ...base, l1Fees: { ...base.l1Fees, minPrice: 2n } };
    expect([differOnlyAfter(base, dearer, 1.6e9), differOnlyAfter(base, dearer, 1.7e9)]).toEqual([true, false]);
  });
});
