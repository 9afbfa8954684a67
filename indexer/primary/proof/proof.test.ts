import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { type ReplayNode, startReplayNode } from "../../../recordings/replay-node.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { replayPrimary } from "../../../test/support/indexed/replayed-primary.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import type { Fault } from "../../../test/support/node/faults.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/support/node/faulty-node.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { createMaintenanceSession } from "../../shared/maintenance-session.ts";
import type { ProgressState } from "../../shared/progress.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { openNode } from "../verify/open-node.ts";
import { createPrimaryProof, type PrimaryProofDeps } from "./proof.ts";

const CHAINS = ["P", "X", "C"] as const;

let replayed: ReplayNode;
let node: FaultyNode;
let database: Awaited<ReturnType<typeof replayPrimary>>;
let writer: Writer;
beforeAll(async () => {
  const folder = recordingFolder("helicon");
  replayed = await startReplayNode({ recording: openRecording(folder) });
  node = await startFaultyNode({ upstream: replayed.url });
  database = await replayPrimary(folder);
  writer = (await tryBecomeWriter(database.url, "primary proof")) as Writer;
});
afterEach(async () => {
  await node.heal();
  await database.pool.query("DELETE FROM primary_verifications");
});
afterAll(async () => {
  await writer[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
  await replayed[Symbol.asyncDispose]();
});

interface Proven {
  readonly progress: Partial<Record<PrimaryChain, Partial<ProgressState>>>;
  readonly lines: Record<string, unknown>[];
}

async function proveOnce(changes: Partial<PrimaryProofDeps> = {}): Promise<Proven> {
  const { network } = database.recording;
  const stop = new AbortController();
  const session = createMaintenanceSession({ url: database.url });
  const { logger, lines } = createLogLines("warn");
  const progress: Proven["progress"] = {};
  const reported = (chain: PrimaryChain) => ({
    update(change: Partial<ProgressState>) {
      progress[chain] = change;
    },
  });
  const asked = openNode(
    { nodeUrl: node.url, nodeHeaders: {} },
    { requestTimeoutMs: 5_000, maxConcurrency: 4 },
    stop.signal,
  );
  let hasEnded = false;
  const proof = createPrimaryProof({
    networkId: network.networkId,
    session,
    node: asked,
    redact: (text) => text,
    writer,
    progress: { P: reported("P"), X: reported("X"), C: reported("C") },
    logger,
    isOn: true,
    signal: stop.signal,
    pauseMs: 1,
    onEnd: () => {
      hasEnded = true;
    },
    ...changes,
  });
  proof.atHead(network);
  await until(
    async () => hasEnded,
    (it) => it,
    "the end of the comparison",
    5,
  );
  stop.abort();
  await proof[Symbol.asyncDispose]();
  await session[Symbol.asyncDispose]();
  await asked[Symbol.asyncDispose]();
  return { progress, lines };
}

interface Stored {
  readonly chain: PrimaryChain;
  readonly block_number: string | null;
  readonly differing_count: string;
  readonly checked_count: string;
  readonly last_difference: string | null;
}

async function stored(): Promise<Record<string, Stored>> {
  const { rows } = await database.pool.query<Stored>("SELECT * FROM primary_verifications");
  return Object.fromEntries(rows.map((row) => [row.chain, row]));
}

async function heads(): Promise<Record<PrimaryChain, string>> {
  const { rows } = await database.pool.query<{ chain: PrimaryChain; block_number: string }>(
    "SELECT chain, block_number FROM primary_heads",
  );
  return Object.fromEntries(rows.map(({ chain, block_number }) => [chain, block_number])) as Record<
    PrimaryChain,
    string
  >;
}

const differing = (chain: PrimaryChain, { progress }: Proven) => progress[chain]?.differingCount;

describe("a comparison of samples of a primary network with its node", () => {
  it("finds no difference in a network that is indexed correctly, and proves each chain up to its head", async () => {
    const { lines, progress } = await proveOnce();
    expect(lines).toEqual([]);
    const last = await heads();
    const results = await stored();
    expect(Object.keys(results)).toContain("P");
    for (const chain of Object.keys(results) as PrimaryChain[]) {
      expect(progress[chain]).toEqual({ verifiedBlockNumber: Number(last[chain]), differingCount: 0 });
      expect(results[chain]).toMatchObject({ block_number: last[chain], differing_count: "0", last_difference: null });
      expect(Number(results[chain]?.checked_count)).toBeGreaterThan(0);
    }
  });

  /** Changes of rows of the P-Chain's state, each with its reversal, and the part that differs then. */
  it.each<[part: string, table: string, change: string, back: string]>([
    [
      "time and fees",
      "p_chain_states",
      "chain_timestamp = chain_timestamp + 1",
      "chain_timestamp = chain_timestamp - 1",
    ],
    ["supply", "p_chain_states", "current_supply = current_supply + 1", "current_supply = current_supply - 1"],
    ["validators and delegators", "stakers", "weight = weight + 1", "weight = weight - 1"],
    ["validator set", "validator_weights", "weight = weight + 1", "weight = weight - 1"],
    ["L1 validators", "l1_validators", "min_nonce = min_nonce + 1", "min_nonce = min_nonce - 1"],
    ["unspent outputs", "utxos", "amount = amount + 1", "amount = amount - 1"],
  ])("finds wrong rows of the %s", async (part, table, change, back) => {
    const { pool } = database;
    await pool.query(`UPDATE ${table} SET ${change}`);
    const found = await proveOnce();
    const results = await stored();
    const again = await proveOnce();
    await pool.query(`UPDATE ${table} SET ${back}`);
    const parts = new Set(found.lines.map((line) => line["table"]));
    expect(parts).toContain(part);
    expect([...parts].every((name) => name === part || (table === "p_chain_states" && name === "L1 validators"))).toBe(
      true,
    );
    expect(found.lines[0]).toMatchObject({ level: 50, key: expect.any(String), indexed: expect.any(String) });
    const [chain] = CHAINS.filter((one) => Number(results[one]?.differing_count ?? 0) > 0) as [PrimaryChain];
    expect(results[chain]).toMatchObject({ block_number: null });
    expect(JSON.parse(results[chain]?.last_difference ?? "")).toMatchObject({ comparedWith: "NODE" });
    expect(differing(chain, again)).toBeGreaterThan(0);
    const repaired = await proveOnce();
    expect(CHAINS.map((one) => differing(one, repaired) ?? 0)).toEqual([0, 0, 0]);
    expect(differing(chain, repaired)).toBe(0);
  });

  it("keeps what differs until the node answers again", async () => {
    await database.pool.query("UPDATE l1_validators SET min_nonce = min_nonce + 1");
    expect(differing("P", await proveOnce())).toBeGreaterThan(0);
    await database.pool.query("UPDATE l1_validators SET min_nonce = min_nonce - 1");
    node.faults.wrongAnswers = [refusing("platform.getL1Validator")];
    const before = await proveOnce();
    expect(before.progress.P).toMatchObject({ verifiedBlockNumber: null });
    expect(differing("P", before)).toBeGreaterThan(0);
    await node.heal();
    expect(differing("P", await proveOnce())).toBe(0);
  });

  const refusing = (refused: string): Fault => ({
    answer: (method, _params, answer) =>
      method === refused ? { error: { code: -32000, message: "database closed" } } : answer,
  });

  it("leaves out a part that the node does not answer", async () => {
    node.faults.wrongAnswers = [refusing("platform.getCurrentValidators"), refusing("platform.getTimestamp")];
    const found = await proveOnce();
    expect({ lines: found.lines, differing: differing("P", found) }).toEqual({ lines: [], differing: 0 });
  });

  it("has no result while the index and the node are at different heights", async () => {
    await database.pool.query("UPDATE primary_heads SET block_number = block_number - 1");
    const { progress, lines } = await proveOnce();
    await database.pool.query("UPDATE primary_heads SET block_number = block_number + 1");
    expect({ progress, lines, stored: await stored() }).toEqual({ progress: {}, lines: [], stored: {} });
  });

  it("has no result of a part during which the index gets a block", async () => {
    let moves = 0;
    const moving: Fault = {
      answer: (method, _params, answer) => {
        if (method === "platform.getHeight") moves++;
        // The height after a part is another one than before it.
        return method === "platform.getHeight" && moves % 2 === 0 ? { result: { height: "99999999" } } : answer;
      },
    };
    node.faults.wrongAnswers = [moving];
    const { progress } = await proveOnce();
    expect(progress.P).toBeUndefined();
    expect(moves).toBeGreaterThan(2);
  });

  it("has no result without a node", async () => {
    await node.down();
    expect((await proveOnce({ pauseMs: 1 })).progress).toEqual({});
  });

  it("ends when it is disposed, and leaves the previous result", async () => {
    await proveOnce();
    const before = await stored();
    const { network } = database.recording;
    const stop = new AbortController();
    await using session = createMaintenanceSession({ url: database.url });
    node.faults.delayMs = 3_000;
    await using asked = openNode(
      { nodeUrl: node.url, nodeHeaders: {} },
      { requestTimeoutMs: 5_000, maxConcurrency: 4 },
      stop.signal,
    );
    const { logger, lines } = createLogLines("warn");
    const proof = createPrimaryProof({
      networkId: network.networkId,
      session,
      node: asked,
      redact: (text) => text,
      writer,
      progress: { P: { update() {} }, X: { update() {} }, C: { update() {} } },
      logger,
      isOn: true,
      signal: stop.signal,
    });
    node.traffic.reset();
    proof.atHead(network);
    await until(
      async () => node.traffic.requests,
      (it) => it > 0,
      "a request to the node",
      5,
    );
    stop.abort(new Error("the indexer stops"));
    await proof[Symbol.asyncDispose]();
    expect({ lines, stored: await stored() }).toEqual({ lines: [], stored: before });
  });
});
