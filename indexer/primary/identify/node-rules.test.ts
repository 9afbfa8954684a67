import type { PrimaryNetworkConfig } from "../../../core/config/config-schema.ts";
import { demoNetwork } from "../../../recordings/demo.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../../recordings/replay-node.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { type PrimaryIndexing, startPrimaryIndexing } from "../../../test/support/indexed/primary-indexing.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/support/node/faulty-node.ts";
import { PRIMARY_FAULTS } from "../../../test/support/node/primary-faults.ts";
import { tryBecomeWriter } from "../../shared/writer.ts";
import { createPrimarySource, type PrimarySource } from "../fetch/source.ts";
import { replayNetwork } from "../replay-network.ts";
import { checkRules, loadNetwork } from "./load-network.ts";

const { methodNotFound, refused, answers } = PRIMARY_FAULTS;
const RULE_METHODS = ["info.upgrades", "platform.getValidatorFeeConfig", "platform.getFeeConfig"] as const;
const HEADS = { P: 40, X: 10 };

describe("the rules of a network that only its node knows", () => {
  let node: ReplayNode;
  let faulty: FaultyNode;
  beforeAll(async () => {
    node = await startReplayNode({ recording: openRecording(ALPHA) });
    for (const [chain, height] of Object.entries(HEADS)) node.setHead(chain, height);
  });
  afterAll(() => node.close());
  beforeEach(async () => {
    faulty = await startFaultyNode({ upstream: node.url });
  });
  afterEach(() => faulty[Symbol.asyncDispose]());

  const start = (options: Partial<Parameters<typeof startPrimaryIndexing>[0]> = {}) =>
    startPrimaryIndexing({ folder: ALPHA, node, nodeUrl: faulty.url, withCChain: false, ...options });
  const rulesIn = async ({ database }: PrimaryIndexing): Promise<unknown> =>
    JSON.parse((await database.pool.query("SELECT rules FROM primary_networks")).rows[0]?.rules ?? "{}");

  it("are the defaults if the node does not have the methods", async () => {
    faulty.faults.wrongAnswers = RULE_METHODS.map((method) => methodNotFound(method));
    await using indexing = await start();
    await indexing.untilHeads(HEADS);
    expect(await rulesIn(indexing)).toMatchObject({ l1Fees: { minPrice: "1" }, upgrades: { granite: 1_607_144_400 } });
  });

  it.each(RULE_METHODS)("are waited for while the node refuses %s, never taken from the defaults", async (method) => {
    faulty.faults.wrongAnswers = [refused(method)];
    await using indexing = await start();
    for (const chain of ["P", "X", "C"] as const)
      await indexing.untilState(chain, "WAITING", new RegExp(`^the node refuses ${method}$`));
    await faulty.heal();
    await indexing.untilHeads(HEADS);
  });

  it("are waited for while the node's info API is off, and the reason names the setting that replaces it", async () => {
    faulty.faults.missingPaths = /^\/ext\/info/;
    await using indexing = await start();
    await indexing.untilState("P", "WAITING", /^the node's info API is off, .* primaryNetworks\[\]\.upgradesFile$/);
    await faulty.heal();
    await indexing.untilHeads(HEADS);
  });

  it("stop the chain if they are others than the stored ones, and `moraine replay --network` makes the rows again", async () => {
    await using database = await createTestDatabase();
    faulty.faults.wrongAnswers = RULE_METHODS.map((method) => methodNotFound(method));
    {
      await using indexing = await start({ database });
      await indexing.untilHeads(HEADS);
    }
    faulty.faults.wrongAnswers = [answers("platform.getFeeConfig", feeConfig(7_000))];
    {
      await using indexing = await start({ database });
      await indexing.untilState("P", "STOPPED", /`moraine replay --network \w+`/);
    }
    const signal = new AbortController().signal;
    const settings = onlyNetwork(demoNetwork(node.recording.manifest, ALPHA, faulty.url));
    await using source = sourceAt(faulty.url, signal);
    const deps = { url: database.url, settings, source, signal, report: () => {} };
    expect(await replayNetwork(deps)).toMatch(/^network 76001: rows rebuilt up to block 40 of P and block 10 of X /);
    await using indexing = await start({ database });
    await indexing.untilState("P", "FOLLOWING");
    expect(await rulesIn(indexing)).toMatchObject({ dynamicFees: { minPrice: "7000" } });
  });
});

it("the message about an upgrade of mainnet that this version does not know asks for an update, not for a replay", async () => {
  await using node = await startReplayNode({ recording: openRecording(ALPHA) });
  await using faulty = await startFaultyNode({ upstream: node.url });
  const recorded = JSON.parse(node.recording.answer("/ext/info", "info.upgrades")?.text ?? "") as object;
  const heliconTime = "2030-01-01T00:00:00Z";
  faulty.faults.wrongAnswers = [answers("info.upgrades", { ...recorded, heliconTime })];
  await using database = await createTestDatabase();
  await using writer = await tryBecomeWriter(database.url, "primary 1");
  if (!writer) throw new Error("another session writes the network");
  await using source = sourceAt(faulty.url, new AbortController().signal);
  const deps = { settings: onlyNetwork({ network: "mainnet", nodeUrl: faulty.url }), source, writer };
  const afterHelicon = Date.parse(heliconTime) / 1_000 + 1;
  // With `replacesStoredRules`, the rules are those after a replay.
  for (const replacesStoredRules of [false, true])
    await expect(checkRules(deps, await loadNetwork(deps, { replacesStoredRules }), afterHelicon)).rejects.toThrow(
      /If the node is right, update Moraine to a version that knows these times/,
    );
});

function onlyNetwork(network: object): PrimaryNetworkConfig {
  const [settings] = testConfig({ primaryNetworks: [network] }).primaryNetworks;
  if (!settings) throw new Error("no network is configured");
  return settings;
}

function sourceAt(url: string, signal: AbortSignal): PrimarySource {
  return createPrimarySource({ url, headers: {}, requestTimeoutMs: 5_000, maxConcurrency: 4, signal });
}

function feeConfig(minPrice: number): unknown {
  return {
    weights: [1, 1000, 1000, 4],
    maxCapacity: 1_000_000,
    maxPerSecond: 100_000,
    targetPerSecond: 50_000,
    minPrice,
    excessConversionConstant: 2_164_043,
  };
}
