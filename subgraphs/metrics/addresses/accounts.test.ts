import { type ExecutionResult, graphql } from "graphql";
import type { Config } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import { openRecording } from "../../../recordings/recording.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { type Scan, scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { distinctStatementsOf } from "../../../test/support/database/statements.ts";
import { indexedAlpha } from "../../../test/support/indexed/indexed.ts";
import {
  createMetricsDatabase,
  GENESIS_CHAIN,
  METRICS_CHAIN,
  METRICS_CONFIG,
  UNKNOWN_CHAIN,
} from "../../../test/support/indexed/metrics-chain.ts";
import { answersOf, ofEntity, walkList } from "../../../test/support/lists/walk-query.ts";
import { expectedActivity } from "../../../test/support/oracle/activity-oracle.ts";
import { expectedFacts } from "../../../test/support/oracle/facts-oracle.ts";
import { recordedChain } from "../../../test/support/recorded/node-chain.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { createSubgraph } from "../subgraph.ts";

type Ask = (source: string) => Promise<ExecutionResult>;

async function askOf(
  database: TestDatabase,
  config: Pick<Config, "evmChains" | "primaryNetworks" | "prices" | "indexing">,
): Promise<Ask> {
  const metrics = await createSubgraph({ config, database, logger: createLogger("silent") });
  return (source) =>
    graphql({
      schema: metrics.schema,
      source,
      contextValue: metrics.context({ work: createWork(), requestId: "test" }),
    });
}

const chain = (chainId: string) => ofEntity("Chain", `chainId: "${chainId}"`);

describe("the accounts of a recorded chain", () => {
  const recorded = recordedChain(openRecording(recordingFolder("alpha")), "c");
  const { evm_addresses } = expectedActivity(recorded, recorded.blocks, expectedFacts(recorded, recorded.blocks));
  let database: Awaited<ReturnType<typeof indexedAlpha>>;
  let ask: Ask;
  beforeAll(async () => {
    database = await indexedAlpha();
    ask = await askOf(database, database.config);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it.each(["ASC", "DESC"] as const)("are all addresses with a transaction, by their number: %s", async (direction) => {
    const sign = direction === "ASC" ? 1 : -1;
    const expected = evm_addresses.toSorted(
      (one, other) =>
        sign *
        (Number(one["transaction_count"]) - Number(other["transaction_count"]) ||
          (String(one["address"]) < String(other["address"]) ? -1 : 1)),
    );
    expect(expected.length).toBeGreaterThan(20);
    const items = await walkList({
      ask: answersOf(ask),
      place: chain(String(recorded.chainId)),
      field: "accounts",
      args: `orderBy: { field: TRANSACTIONS, direction: ${direction} }`,
      selection: "address transactionCount",
      size: 10,
    });
    expect(items.map(({ address, transactionCount }) => [String(address).toLowerCase(), transactionCount])).toEqual(
      expected.map(({ address, transaction_count }) => [address, transaction_count]),
    );
  });
});

describe("the accounts of a chain", () => {
  const SIZE = 10;
  let database: TestDatabase;
  let ask: Ask;
  beforeAll(async () => {
    database = await createMetricsDatabase();
    const { pool } = database;
    await pool.query(
      `CREATE TABLE evm_addresses_${METRICS_CHAIN} PARTITION OF evm_addresses FOR VALUES IN (${METRICS_CHAIN})`,
    );
    await pool.query(`INSERT INTO evm_addresses
      SELECT ${METRICS_CHAIN}, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1, 300, 0, n % 7 FROM generate_series(1, 5000) n`);
    await pool.query("ANALYZE evm_addresses");
    ask = await askOf(database, METRICS_CONFIG);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("fail with the reason of the indexer where no block after the genesis is indexed", async () => {
    for (const [chainId, message] of [
      [GENESIS_CHAIN, `the activity of chain ${GENESIS_CHAIN} is not indexed yet (WAITING): the node refuses it`],
      [UNKNOWN_CHAIN, `the activity of chain ${UNKNOWN_CHAIN} is not indexed yet: its indexer has not started`],
    ] as const)
      for (const page of ["first: 5", "last: 5"]) {
        const { data, errors } = await ask(chain(chainId).around(`accounts(${page}) { nodes { address } }`));
        expect(data).toEqual({ _entities: [{ accounts: null }] });
        expect(errors).toMatchObject([{ message, extensions: { code: "UNAVAILABLE" } }]);
      }
  });

  it.each(["ASC", "DESC"])("are read by the index, and no more than the page of them: %s", async (direction) => {
    for (const page of [`first: ${SIZE}`, `last: ${SIZE}`]) {
      const list = `accounts(${page}, orderBy: { field: TRANSACTIONS, direction: ${direction} }) { nodes { address } }`;
      const statements = await distinctStatementsOf(async () => {
        expect((await ask(chain(METRICS_CHAIN).around(list))).errors).toBeUndefined();
      });
      expect(statements).toHaveLength(1);
      for (const { text, values } of statements)
        for (const scans of [scansOf, scansOfGenericPlan])
          expectPage(
            (await scans(database.pool, text, values)).filter(({ table }) => table.startsWith("evm_addresses")),
          );
    }
  });

  function expectPage(scans: readonly Scan[]): void {
    const read = scans.filter(({ rows, removed }) => rows + removed > 0);
    expect(read).toHaveLength(1);
    for (const { kind, rows, removed } of read) {
      expect(kind).toMatch(/^Index (Only )?Scan$/);
      expect(rows + removed).toBe(SIZE + 1);
    }
  }
});
