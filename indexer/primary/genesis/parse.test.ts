import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ConfigError } from "../../../core/config/config.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { parseGenesisFile } from "./parse.ts";

type Members = Record<string, unknown>;
interface AlphaFile extends Members {
  allocations: (Members & { unlockSchedule: Members[] })[];
  initialStakers: (Members & { signer: Members })[];
  initialStakedFunds: unknown[];
}

/** The text of the recording's file, changed. */
function alphaBut(change: (file: AlphaFile) => void): string {
  const file = JSON.parse(gunzipSync(readFileSync(join(ALPHA, "genesis.json.gz"))).toString()) as AlphaFile;
  change(file);
  return JSON.stringify(file).replace(/"(\d+)n"/g, "$1");
}

const allocation = (at: number, members: Members) =>
  alphaBut(({ allocations }) => Object.assign(allocations[at] as Members, members));
const staker = (at: number, members: Members) =>
  alphaBut(({ initialStakers }) => Object.assign(initialStakers[at] as Members, members));
const whole = (members: Members) => alphaBut((file) => Object.assign(file, members));

const ADDRESS = "X-custom1z460mn0fmzx3cyawzuulj03eyyyn04pv9fshr0";
const ADDRESS_RULE = "must be an address such as X-custom1…, with a correct checksum";

describe("a genesis file", () => {
  it("is parsed with exact amounts, and addresses and ids as hex", () => {
    const file = parseGenesisFile(allocation(1, { initialAmount: "9007199254740993n" }));
    expect(file.networkId).toBe(76_001);
    expect(file.allocations[1]).toMatchObject({
      ethAddr: "241eb1fe584e100bd98fd989a703dfdb3d2bee2f",
      avaxAddr: "352c910b888b6e65642637b5865e9207847338a2",
      initialAmount: 9_007_199_254_740_993n,
    });
    expect(file.allocations[1]?.unlockSchedule.slice(1, 3)).toEqual([
      { amount: 200_000_000_000_000n, locktime: 0n },
      { amount: 7_000_000_000_000n, locktime: 1_795_252_923n },
    ]);
    expect(file.initialStakers.map(({ nodeId, signer }) => [nodeId.length, signer?.publicKey.length])).toEqual(
      Array.from({ length: 5 }, () => [40, 96]),
    );
  });

  it("may omit fields that default to zero or empty, and have unknown fields", () => {
    const text = alphaBut((file) => {
      for (const name of ["message", "initialStakeDurationOffset"]) delete file[name];
      delete file.allocations[2]?.["initialAmount"];
      Object.assign(file.allocations[2] as Members, { unlockSchedule: null, comment: "for tests" });
      Object.assign(file.initialStakers[0] as Members, { signer: null });
      delete file.initialStakers[0]?.["delegationFee"];
    });
    const file = parseGenesisFile(text);
    expect([file.message, file.initialStakeDurationOffset]).toEqual(["", 0]);
    expect(file.allocations[2]).toMatchObject({ initialAmount: 0n, unlockSchedule: [] });
    expect(file.allocations[2]).not.toHaveProperty("comment");
    expect(file.initialStakers[0]).toMatchObject({ signer: null, delegationFee: 0 });
  });

  it.each(["networkID", "allocations", "startTime", "initialStakeDuration", "initialStakedFunds"])(
    "must have %s",
    (name) => {
      expect(() => parseGenesisFile(whole({ [name]: undefined }))).toThrow(
        new ConfigError(`the genesis file: member ${name} is missing`),
      );
    },
  );

  it.each<[member: string, text: () => string, value: string, rule: string]>([
    ["networkID", () => whole({ networkID: 2 ** 32 }), "4294967296", "must be a whole number of at most 4294967295"],
    ["networkID", () => whole({ networkID: "1" }), '"1"', "must be a whole number of at most 4294967295"],
    ["startTime", () => whole({ startTime: -1 }), "-1", "must be a whole number of at most 9223372036"],
    ["startTime", () => whole({ startTime: null }), "null", "must be a whole number of at most 9223372036"],
    ["allocations", () => whole({ allocations: {} }), "an object", "must be a list"],
    ["allocations.0", () => whole({ allocations: ["x"] }), '"x"', "must be an object"],
    ["allocations.0.ethAddr", () => allocation(0, { ethAddr: "0x12" }), '"0x12"', "must be 0x and 40 hex digits"],
    [
      "allocations.3.avaxAddr",
      () => allocation(3, { avaxAddr: ADDRESS.replace("z46", "z47") }),
      `"${ADDRESS.replace("z46", "z47")}"`,
      ADDRESS_RULE,
    ],
    [
      "allocations.0.avaxAddr",
      () => allocation(0, { avaxAddr: ADDRESS.slice(2) }),
      `"${ADDRESS.slice(2)}"`,
      ADDRESS_RULE,
    ],
    [
      "allocations.1.initialAmount",
      () => allocation(1, { initialAmount: "18446744073709551616n" }),
      "18446744073709551616",
      "must be a whole number of at most 18446744073709551615",
    ],
    [
      "allocations.1.initialAmount",
      () => allocation(1, { initialAmount: 1.5 }),
      "1.5",
      "must be a whole number of at most 18446744073709551615",
    ],
    [
      "allocations.0.unlockSchedule.0.locktime",
      () => allocation(0, { unlockSchedule: [{ amount: 1, locktime: "soon" }] }),
      '"soon"',
      "must be a whole number of at most 18446744073709551615",
    ],
    ["initialStakedFunds.1", () => alphaBut((file) => file.initialStakedFunds.push("X")), '"X"', ADDRESS_RULE],
    [
      "initialStakers.2.nodeID",
      () => staker(2, { nodeID: "NodeID-Dirf99WSfeTijWV5W2sCYAbonLagfmKtM" }),
      '"NodeID-Dirf99WSfeTijWV5W2sCYAbonLagfmKtM"',
      "must be a node id such as NodeID-…, with a correct checksum",
    ],
    ["initialStakers.0.rewardAddress", () => staker(0, { rewardAddress: 5 }), "5", "must be a string"],
    [
      "initialStakers.4.signer.publicKey",
      () => staker(4, { signer: { publicKey: "0x", proofOfPossession: "0x" } }),
      '"0x"',
      "must be 0x and 96 hex digits",
    ],
    ["cChainGenesis", () => whole({ cChainGenesis: "{" }), '"{"', "must be JSON in a string"],
    ["cChainGenesis", () => whole({ cChainGenesis: { config: {} } }), "an object", "must be a string"],
    ["message", () => whole({ message: "é".repeat(32_768) }), `"${"é".repeat(99)}…`, "must be of at most 65535 bytes"],
  ])("is refused for %s (%#)", (member, text, value, rule) => {
    expect(() => parseGenesisFile(text())).toThrow(
      new ConfigError(`the genesis file: member ${member} is ${value}: ${rule}`),
    );
  });

  it.each<[why: string, text: () => string, message: string]>([
    [
      "a missing member deep inside",
      () => alphaBut(({ allocations }) => delete allocations[2]?.["avaxAddr"]),
      "member allocations.2.avaxAddr is missing",
    ],
    [
      "half a signer",
      () => alphaBut(({ initialStakers }) => delete initialStakers[1]?.signer["proofOfPossession"]),
      "member initialStakers.1.signer.proofOfPossession is missing",
    ],
    ["something else than an object", () => "[]", "the file is a list: must be an object"],
    [
      "amounts that overflow together",
      () => allocation(0, { initialAmount: "18446744073709551615n" }),
      "member allocations adds up to 18457855103709551645: must be from 1 to 18446744073709551615",
    ],
    [
      "nothing to give out",
      () => alphaBut((file) => Object.assign(file, { allocations: [] })),
      "member allocations adds up to 0: must be from 1 to 18446744073709551615",
    ],
    [
      "no validator",
      () => whole({ initialStakers: [] }),
      "member initialStakers is empty: must have at least one validator",
    ],
    [
      "no stake",
      () => whole({ initialStakedFunds: [] }),
      "member initialStakedFunds is empty: must have at least one address with locked amounts",
    ],
    [
      "funds that are staked twice",
      () => whole({ initialStakedFunds: [ADDRESS, ADDRESS] }),
      `member initialStakedFunds.1 is ${ADDRESS}: must not be named twice`,
    ],
    [
      "staked funds that nobody has",
      () => alphaBut(({ allocations }) => allocations.shift()),
      `member initialStakedFunds.0 is ${ADDRESS}: must have an allocation`,
    ],
    [
      "a node twice",
      () => staker(1, { nodeID: "NodeID-Dirf99WSfeTijWV5W2sCYAbonLagfmKtN" }),
      "member initialStakers.1.nodeID is NodeID-Dirf99WSfeTijWV5W2sCYAbonLagfmKtN: must not be named twice",
    ],
    [
      "less stake than validators",
      () => allocation(0, { unlockSchedule: [{ amount: 4 }] }),
      "member initialStakedFunds has 4 locked in its allocations: must be at least 1 for each of 5 validators",
    ],
    [
      "a stake that ends when it starts",
      () => whole({ initialStakeDuration: 21_600 }),
      "member initialStakeDuration is 21600: must be more than 4 times initialStakeDurationOffset, 5400",
    ],
  ])("is refused for %s", (_why, text, message) => {
    expect(() => parseGenesisFile(text())).toThrow(new ConfigError(`the genesis file: ${message}`));
  });

  it("has the caller's name in its errors, even if it is not JSON", () => {
    expect(() => parseGenesisFile("{", "setting genesis is g.json")).toThrow(
      /^setting genesis is g\.json must be JSON: line 1, column 1: this { is never closed/,
    );
    expect(() => parseGenesisFile("{}", "g.json")).toThrow(new ConfigError("g.json: member networkID is missing"));
    expect(() => parseGenesisFile("{}")).toThrow(ConfigError);
  });
});
