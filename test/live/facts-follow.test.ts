import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hex } from "viem";
import { type BackfillResult, backfillTraces } from "../../indexer/evm/commands/backfill.ts";
import { chainRules } from "../../indexer/evm/decode/chain-rules.ts";
import { createEvmSource } from "../../indexer/evm/fetch/source.ts";
import { createNodeClient } from "../../indexer/shared/node/node-client.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import type { Tables } from "../support/database/tables.ts";
import { isFullRun } from "../support/full.ts";
import { freshTables, type Indexing, type IndexingOptions, startIndexing, until } from "../support/indexed/indexing.ts";
import { FAULTS, type Fault } from "../support/node/faults.ts";
import { startFaultyNode } from "../support/node/faulty-node.ts";
import { failure } from "../support/node/rpc-answers.ts";
import { PERIODS } from "../support/oracle/activity-oracle.ts";
import { callsOf, perform } from "./actions.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { CONTRACT_SETTINGS, deployContracts } from "./deployed-contracts.ts";
import { expectSameRows } from "./expect-same-rows.ts";

const CHAIN = 31_337;
const NO_TRACES = [FAULTS.methodMissing("debug_traceBlockByNumber")];
const UNKNOWN = "the chain's node does not answer debug_traceBlockByNumber";

const headOf = ({ client }: Anvil): Promise<Hex> => client.getBlock().then(({ hash }) => hash);

const start = (node: { readonly url: string }, options: Partial<IndexingOptions> = {}) =>
  startIndexing({ chainId: CHAIN, nodeUrl: node.url, chain: CONTRACT_SETTINGS, ...options });

/** The tables of a fresh index up to the node's head. */
const fresh = async (anvil: Anvil): Promise<Tables> =>
  freshTables(CHAIN, anvil.url, await headOf(anvil), CONTRACT_SETTINGS);

async function tablesAtHead(indexing: Indexing, anvil: Anvil): Promise<Tables> {
  await indexing.untilHead(await headOf(anvil));
  return indexing.tables();
}

/** A node at block 16, with all contracts. */
async function startWithContracts(stateFile?: string): Promise<Anvil> {
  const anvil = await startAnvil(stateFile ? { stateFile } : {});
  await deployContracts(anvil);
  await perform(anvil, 12);
  return anvil;
}

/** Lengths of the reorganisations. */
const DEPTHS = isFullRun ? [1, 2, 5, 16, 64] : [1, 24];

it.concurrent(`after reorganisations of ${DEPTHS.join(", ")} blocks the rows equal those of a fresh index`, async () => {
  await using anvil = await startWithContracts();
  await perform(anvil, DEPTHS.at(-1) ?? 0, 12);
  await using indexing = await start(anvil);
  await indexing.untilHead(await headOf(anvil));
  for (const depth of DEPTHS) {
    const before = await headOf(anvil);
    const blocks = Array.from({ length: depth }, (_, block) => callsOf(100 * depth + block));
    await anvil.reorganise(depth, blocks.flat());
    expect(await headOf(anvil)).not.toBe(before);
    expectSameRows(await tablesAtHead(indexing, anvil), await fresh(anvil));
  }
});

it.concurrent("a node that stops makes the chain wait, which continues when the node is back with its state", async () => {
  const folder = await mkdtemp(join(tmpdir(), "moraine-anvil-"));
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  // Anvil loses call trees on a restart, so the expected rows come from a node that never stops.
  await using anvil = await startWithContracts(join(folder, "state.json"));
  await using twin = await startWithContracts();
  await using indexing = await start(anvil);
  await indexing.untilHead(await headOf(twin));
  await anvil.stop();
  await indexing.untilState("WAITING", /^the node gave no answer \(ECONNREFUSED\)$/);
  await anvil.start();
  for (const node of [anvil, twin]) await perform(node, 12, 12);
  expectSameRows(await tablesAtHead(indexing, twin), await fresh(twin));
});

describe("a node without its debug API", () => {
  /** The stored capability `traces` of the chain, with its reason. */
  async function capability({ database: { pool } }: Indexing): Promise<unknown> {
    const text = "SELECT is_on, reason FROM chain_capabilities WHERE chain_id = $1 AND capability = 'traces'";
    return (await pool.query({ text, values: [CHAIN] })).rows[0];
  }

  /** Refuses the call trees of blocks up to this one, like a node that keeps only recent states. */
  const pruned = (upTo: number): Fault => ({
    answer: (method, [block], answer) => {
      const isIt = method === "debug_traceBlockByNumber" && Number(block) > 0 && Number(block) <= upTo;
      return isIt ? failure(-32000, "required historical state unavailable") : answer;
    },
  });

  const isOf = (from: number, to: number) => (row: Readonly<Record<string, string | null>>) =>
    Number(row["block_number"]) >= from && Number(row["block_number"]) <= to;

  /** Backfills as the command does, with a separate client of the node. */
  async function backfilled(
    { url: nodeUrl }: { readonly url: string },
    { url }: TestDatabase,
  ): Promise<BackfillResult> {
    const options = { requestTimeoutMs: 5_000, maxConcurrency: 4, maxBatchSize: 50, headers: {} };
    await using client = createNodeClient({ ...options, url: nodeUrl, signal: new AbortController().signal });
    const rules = chainRules({ chainId: CHAIN, ...CONTRACT_SETTINGS });
    const all = { from: 0, to: Number.MAX_SAFE_INTEGER };
    const { signal } = new AbortController();
    return await backfillTraces({ url, rules, source: createEvmSource(client, "auto"), signal, report: () => {} }, all);
  }

  /** The activity, with these deployments as the new contracts. */
  function withContracts(
    { evm_block_activity, evm_activity }: Tables,
    deployments: readonly Tables["evm_deployments"][number][],
  ): Pick<Tables, "evm_block_activity" | "evm_activity"> {
    const secondsOf = new Map(evm_block_activity.map((row) => [row["block_number"], Number(row["block_timestamp"])]));
    const countWhere = (isOne: (block: string | null | undefined) => boolean) =>
      String(deployments.filter((row) => isOne(row["block_number"])).length);
    return {
      evm_block_activity: evm_block_activity.map((row) => ({
        ...row,
        new_contracts: countWhere((block) => block === row["block_number"]),
      })),
      evm_activity: evm_activity.map((row) => ({
        ...row,
        new_contracts: countWhere((block) => {
          const start = PERIODS[row["interval"] ?? ""]?.(secondsOf.get(block ?? "") ?? 0);
          return String(start) === row["period_start"];
        }),
      })),
    };
  }

  /** The tables without rows of these blocks' call trees, and with contracts from receipts only. */
  function withoutCalls(tables: Tables, ranges: readonly (readonly [from: number, to: number])[]): Tables {
    const isUntraced = (row: Readonly<Record<string, string | null>>) => ranges.some((range) => isOf(...range)(row));
    const fromReceipts = tables.evm_transactions
      .filter((row) => isUntraced(row) && row["contract_address"] !== null && row["tx_status"] === "1")
      .map((row) => ({
        chain_id: row["chain_id"] as string,
        address: row["contract_address"] as string,
        block_number: row["block_number"] as string,
        block_index: row["block_index"] as string,
        trace_index: "0",
        tx_hash: row["tx_hash"] as string,
        creator_address: row["from_address"] as string,
        opcode: "CREATE",
        // The code of a contract is in the call tree.
        implementation_address: null,
      }));
    const traced = tables.evm_deployments.filter((row) => !isUntraced(row));
    const deployments = [...traced, ...fromReceipts];
    return {
      ...tables,
      ...withContracts(tables, deployments),
      evm_internal_transactions: tables.evm_internal_transactions.filter((row) => !isUntraced(row)),
      evm_failures: tables.evm_failures.filter((row) => !isUntraced(row)),
      evm_deployments: deployments.sort((a, b) => ((a["address"] ?? "") < (b["address"] ?? "") ? -1 : 1)),
      untraced_ranges: ranges.map(([from, to]) => ({
        chain_id: String(CHAIN),
        from_block: String(from),
        to_block: String(to),
      })),
    };
  }

  it.concurrent("is indexed without call trees, with the reason; after the API is back, later blocks have them, and a backfill adds the others", async () => {
    await using anvil = await startWithContracts();
    await using node = await startFaultyNode({ upstream: anvil.url });
    await using database = await createTestDatabase();
    node.faults.wrongAnswers = NO_TRACES;
    {
      await using indexing = await start(node, { database });
      const untraced = await tablesAtHead(indexing, anvil);
      expectSameRows(untraced, withoutCalls(await fresh(anvil), [[0, 16]]));
      expect(untraced.evm_deployments.length).toBeGreaterThan(12);
      expect(await capability(indexing)).toEqual({ is_on: false, reason: UNKNOWN });
    }
    await node.heal();
    await perform(anvil, 6, 12);
    await using indexing = await start(node, { database });
    const again = await tablesAtHead(indexing, anvil);
    expectSameRows(again, withoutCalls(await fresh(anvil), [[0, 16]]));
    expect(again.evm_internal_transactions.length).toBeGreaterThan(5);
    expect(await capability(indexing)).toEqual({ is_on: true, reason: null });
    // The API fails while the indexer runs.
    node.faults.wrongAnswers = NO_TRACES;
    await perform(anvil, 3, 18);
    const ranges = [
      [0, 16],
      [23, 25],
    ] as const;
    expectSameRows(await tablesAtHead(indexing, anvil), withoutCalls(await fresh(anvil), ranges));
    expect(await capability(indexing)).toEqual({ is_on: false, reason: UNKNOWN });
    // Untraced blocks are rolled back like others.
    await anvil.reorganise(5, callsOf(7));
    expectSameRows(
      await tablesAtHead(indexing, anvil),
      withoutCalls(await fresh(anvil), [
        [0, 16],
        [21, 25],
      ]),
    );
    await node.heal();
    expect(await backfilled(node, database)).toEqual({ traced: 17 + 5, skipped: 0 });
    expectSameRows(await indexing.tables(), await fresh(anvil));
  });

  it.concurrent("makes a chain with traces on wait", async () => {
    await using anvil = await startWithContracts();
    await using node = await startFaultyNode({ upstream: anvil.url });
    node.faults.wrongAnswers = NO_TRACES;
    await using indexing = await start(node, { chain: { ...CONTRACT_SETTINGS, traces: "on" } });
    await indexing.untilState("WAITING", new RegExp(UNKNOWN));
    expect((await indexing.tables()).evm_blocks).toEqual([]);
    expect(await capability(indexing)).toEqual({ is_on: false, reason: UNKNOWN });
    await node.heal();
    expectSameRows(await tablesAtHead(indexing, anvil), await fresh(anvil));
    expect(await capability(indexing)).toEqual({ is_on: true, reason: null });
    node.faults.wrongAnswers = [pruned(17)];
    await perform(anvil, 3, 12);
    const reason = await indexing.untilState(
      "WAITING",
      /^the node no longer has the state for the traces of block 17$/,
    );
    expect(await capability(indexing)).toEqual({ is_on: false, reason });
    node.faults.wrongAnswers = NO_TRACES;
    await indexing.untilState("WAITING", new RegExp(UNKNOWN));
    await node.heal();
    expectSameRows(await tablesAtHead(indexing, anvil), await fresh(anvil));
    expect(await capability(indexing)).toEqual({ is_on: true, reason: null });
  });

  it.concurrent("with pruned states has no call trees for old blocks, with the reason, also after a restart", async () => {
    await using anvil = await startWithContracts();
    await using node = await startFaultyNode({ upstream: anvil.url });
    await using database = await createTestDatabase();
    node.faults.wrongAnswers = [pruned(9)];
    const reason = expect.stringMatching(/^the node no longer has the state for the traces of block \d$/);
    {
      await using indexing = await start(node, { database });
      expectSameRows(await tablesAtHead(indexing, anvil), withoutCalls(await fresh(anvil), [[1, 9]]));
      expect(await capability(indexing)).toEqual({ is_on: true, reason });
    }
    await node.heal();
    await perform(anvil, 2, 12);
    await using indexing = await start(node, { database });
    expectSameRows(await tablesAtHead(indexing, anvil), withoutCalls(await fresh(anvil), [[1, 9]]));
    expect(await capability(indexing)).toEqual({ is_on: true, reason });
  });

  it.concurrent("gets no requests for call trees if traces are off", async () => {
    await using anvil = await startWithContracts();
    await using node = await startFaultyNode({ upstream: anvil.url });
    await using indexing = await start(node, { chain: { ...CONTRACT_SETTINGS, traces: "off" } });
    expectSameRows(await tablesAtHead(indexing, anvil), withoutCalls(await fresh(anvil), [[0, 16]]));
    expect(node.traffic.calls.has("debug_traceBlockByNumber")).toBe(false);
    await until(
      () => capability(indexing),
      (now) => JSON.stringify(now).includes("the setting evmChains[].traces is off"),
      "the reason",
    );
  });
});
