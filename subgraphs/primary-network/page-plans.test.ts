import "reflect-metadata";
import { createWork, type Work } from "../../core/work/work.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { type Scan, scansOf, scansOfGenericPlan } from "../../test/support/database/plans.ts";
import { distinctStatementsOf } from "../../test/support/database/statements.ts";
import { selectOf } from "../shared/rows/list-reader.ts";
import { nestedSelect } from "../shared/rows/nested-list.ts";
import { SUMS_OF_IMPORTABLE, SUMS_OF_OUTPUTS, SUMS_OF_OUTPUTS_AT_BLOCK } from "./balances/sums.ts";
import { PAGE as BLOCKS, PAGE_OF_NODE as BLOCKS_OF_NODE } from "./blocks/store.ts";
import { RAW } from "./credentials/store.ts";
import { createNetworkActivityStore } from "./statistics/activity-store.ts";
import { createStatisticsStore } from "./statistics/statistics-store.ts";
import { pageStatement, SUBNET_ORDER } from "./subnets/rows.ts";
import { UNSPENT_OF_ADDRESS, UNSPENT_OF_ASSET } from "./utxos/rows.ts";
import { PAGE as VERTICES } from "./vertices/store.ts";

const SUBNETS = { order: SUBNET_ORDER, positionAt: 2, select: pageStatement };
const LIMIT = 11;
const BLOCK_COUNT = 20_000;
const OUTPUT_COUNT = 30_000;
/** Outputs of the owner with many outputs; half of them are spent. */
const OWNED = OUTPUT_COUNT / 10;
const owner = (name: string) => `substring(sha256('${name}'), 1, 20)`;

const TABLES = [
  "primary_blocks",
  "x_chain_vertices",
  "subnets",
  "blockchains",
  "utxos",
  "primary_assets",
  "primary_transactions",
  "primary_raw_blocks",
];

const FILL: readonly string[] = [
  ...TABLES.map((table) => `CREATE TABLE ${table}_5 PARTITION OF ${table} FOR VALUES IN (5)`),
  `INSERT INTO primary_networks VALUES (5, 'fuji', '\\x00', 1, '\\x01', '\\x02', '\\x03', '{}')`,
  `INSERT INTO primary_blocks (network_id, chain, block_number, block_hash, parent_hash, block_type, block_timestamp,
     tx_hashes, size_bytes, node_id)
   SELECT 5, 'P', n, sha256(n::text::bytea), sha256('x'), 'BanffStandardBlock', 1000 + n / 3, '{}', 1, sha256((n % 50)::text::bytea)
   FROM generate_series(0, ${BLOCK_COUNT - 1}) n`,
  `INSERT INTO x_chain_vertices SELECT 5, n, sha256(n::text::bytea), '{}', n, n, '{}', 1 FROM generate_series(0, ${BLOCK_COUNT - 1}) n`,
  `INSERT INTO subnets (network_id, subnet_id, subnet_seq, create_block_number, create_timestamp, create_owner_addresses,
     create_owner_threshold, create_owner_locktime, owner_addresses, owner_threshold, owner_locktime)
   SELECT 5, sha256(n::text::bytea), n, n, n, '{}', 1, 0, '{}', 1, 0 FROM generate_series(0, 4999) n`,
  `INSERT INTO blockchains SELECT 5, sha256(('c' || n)::bytea), n, sha256(n::text::bytea), n, n, sha256('vm'), 'chain', '\\x00', NULL
   FROM generate_series(0, 4999) n`,
  `INSERT INTO utxos (network_id, utxo_id, tx_hash, output_index, asset_id, output_type, amount, locktime, threshold,
     addresses, role, created_on_chain, chain, created_timestamp, consumed_tx_hash, consumed_timestamp)
   SELECT 5, sha256(n::text::bytea), sha256('x'), 0, sha256('avax'), 'secp256k1fx.TransferOutput', 1, 0, 1,
     CASE WHEN n % 10 = 0 THEN ARRAY[${owner("many")}] WHEN n % 1000 = 11 THEN ARRAY[${owner("many")}, ${owner("other")}]
       ELSE ARRAY[substring(sha256(('o' || n % 3000)::bytea), 1, 20)] END,
     'PLAIN', 'P', 'P', 1000 + n, CASE WHEN n % 20 < 10 THEN sha256('y') END, CASE WHEN n % 20 < 10 THEN 1000 + n + 500 END
   FROM generate_series(0, ${OUTPUT_COUNT - 1}) n`,
  `INSERT INTO primary_transactions (network_id, chain, tx_seq, tx_hash, tx_type, block_number, block_timestamp, memo,
     consumed_utxo_ids, emitted_utxo_ids, burned_asset_ids, burned_amounts, l1_balance_burned, reward_addresses)
   SELECT 5, 'X', n, sha256(('tx' || n)::bytea), 'BaseTx', n, n, '\\x', '{}', '{}', '{}', '{}', 0, '{}'
   FROM generate_series(0, ${BLOCK_COUNT - 1}) n`,
  `INSERT INTO primary_raw_blocks SELECT 5, 'X', n, n < 100, '\\x00', NULL FROM generate_series(0, ${BLOCK_COUNT + 99}) n`,
  `INSERT INTO primary_heads VALUES (5, 'X', ${BLOCK_COUNT + 99}, ${BLOCK_COUNT - 1}, '\\x01', '\\x01', 1, ${BLOCK_COUNT}, 1)`,
  `INSERT INTO primary_heads VALUES (5, 'P', ${BLOCK_COUNT - 1}, ${BLOCK_COUNT - 1}, '\\x01', '\\x01', 1, ${BLOCK_COUNT}, 1)`,
  `INSERT INTO primary_activity (network_id, chain, interval, period_start, blocks, transactions, fees_burned, rewards_paid,
     l1_validator_fees, last_block, validators, delegators, validator_stake, delegator_stake, annual_rewards, subnets, blockchains, l1s)
   SELECT network, chain, unit, 3600 * n, 1, 1, 1, 1, 1, n, 1, 1, 1, 1, 1, 1, 1, 1
   FROM generate_series(0, ${BLOCK_COUNT - 1}) n, unnest('{5,6}'::int[]) network, unnest('{P,X}'::text[]) chain, unnest('{HOUR,MONTH}'::text[]) unit`,
  `INSERT INTO p_chain_states VALUES (5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)`,
  "VACUUM ANALYZE",
];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const statement of FILL) await database.pool.query(statement);
});
afterAll(() => database[Symbol.asyncDispose]());

const scans = (statement: string, values: readonly unknown[]): Promise<Scan[]> =>
  scansOf(database.pool, statement, values);
const most = (found: readonly Scan[], table: string): number =>
  Math.max(...found.filter((scan) => scan.table === table).map(({ rows, removed }) => rows + removed));
const digest = async (text: string) => (await database.pool.query("SELECT sha256($1::bytea) AS id", [text])).rows[0].id;

describe("a page reads no more rows than it has", () => {
  it.each([
    ["the newest", [5, "P", BLOCK_COUNT, LIMIT, 0, 2n ** 62n]],
    ["those before a place", [5, "P", 777, LIMIT, 0, 2n ** 62n], true],
    ["the oldest", [5, "P", -1, LIMIT, 0, 2n ** 62n], true],
    ["the oldest of a time long ago", [5, "P", -1, LIMIT, 1_050, 1_090], true],
    ["those after a place", [5, "P", 777, LIMIT, 0, 2n ** 62n]],
    ["a time long ago", [5, "P", BLOCK_COUNT, LIMIT, 1_050, 1_090]],
    ["no time at all", [5, "P", BLOCK_COUNT, LIMIT, 1_050, 1_050]],
  ])("E15 for blocks of all nodes and of one: %s", async (_, values, isBackward = false) => {
    expect(most(await scans(selectOf(BLOCKS, isBackward), values), "primary_blocks_5")).toBeLessThanOrEqual(LIMIT);
    const ofNode = await scans(selectOf(BLOCKS_OF_NODE, isBackward), [...values, await digest("7")]);
    expect(most(ofNode, "primary_blocks_5")).toBeLessThanOrEqual(LIMIT);
  });

  it.each([
    ["before", BLOCK_COUNT, false],
    ["before", 777, false],
    ["after", 777, true],
    ["after", -1, true],
  ])("E19 for vertices %s %i", async (_, beside, isBackward) => {
    expect(most(await scans(selectOf(VERTICES, isBackward), [5, beside, LIMIT]), "x_chain_vertices_5")).toBe(LIMIT);
  });

  it.each([null, 1_000])("E7 for subnets in either direction, with a limit of %p bytes", async (bytes) => {
    for (const isBackward of [false, true]) {
      const found = await scans(selectOf(SUBNETS, isBackward), [5, 2_000, LIMIT, bytes]);
      expect(most(found, "subnets_5")).toBe(LIMIT);
      expect(
        most(
          found.filter(({ rows }) => rows > 0 || bytes !== null),
          "blockchains_5",
        ),
      ).toBeLessThanOrEqual(LIMIT);
    }
  });
});

describe("a page of unspent outputs", () => {
  const pageOf = (list: typeof UNSPENT_OF_ASSET) => `SELECT item.* FROM (
      SELECT 'P'::text AS chain, $2::bytea AS address, $2::bytea AS asset_id, $3::bigint AS created_timestamp,
        '\\x'::bytea AS utxo_id, ${LIMIT - 1} AS size
    ) k, LATERAL (${nestedSelect(list, false)} LIMIT k.size + 1) item`;

  it.each([Number.MAX_SAFE_INTEGER, 15_000])("of an asset before %d reads as many rows as it has", async (before) => {
    const found = await scans(pageOf(UNSPENT_OF_ASSET), [5, await digest("avax"), before]);
    expect(most(found, "utxos_5")).toBe(LIMIT);
  });

  it("of an owner reads as many rows as it has", async () => {
    const { rows } = await database.pool.query(`SELECT ${owner("many")} AS owner`);
    const found = await scans(pageOf(UNSPENT_OF_ADDRESS), [5, rows[0].owner, Number.MAX_SAFE_INTEGER]);
    const ofTable = found.filter(({ table, kind }) => table === "utxos_5" && kind !== "Bitmap Index Scan");
    expect(ofTable.map((scan) => scan.rows + scan.removed).toSorted((one, other) => one - other)).toEqual([LIMIT]);
  });
});

describe("figures of a network", () => {
  /** Scans of the statement that a task sends. */
  async function scansOfTask(task: (work: Work) => Promise<unknown>): Promise<Scan[]> {
    const [sent] = await distinctStatementsOf(() => task(createWork()));
    return scansOfGenericPlan(database.pool, sent?.text ?? "", sent?.values ?? []);
  }

  it.each([BLOCK_COUNT * 3_600, 3_600 * 777])(
    "by period read no more rows than a page has, before %i",
    async (until) => {
      for (const from of [0, until - 3_600]) {
        const key = { networkId: "5", interval: "HOUR", from, until, size: LIMIT } as const;
        const found = await scansOfTask((work) => createNetworkActivityStore(database).pages([key], work));
        expect(most(found, "primary_activity")).toBeLessThanOrEqual(2 * (LIMIT + 1));
        expect(most(found, "primary_blocks_5")).toBe(LIMIT + 1);
      }
    },
  );

  it("for now read the last row", async () => {
    const found = await scansOfTask((work) => createStatisticsStore(database).of([{ networkId: "5" }], work));
    expect(most(found, "primary_activity")).toBe(1);
  });
});

it("the raw blocks of transactions are read once each", async () => {
  const txHashes = await Promise.all([7, 8, 9_000, 9_001].map((n) => digest(`tx${n}`)));
  const found = await scans(RAW, [5, txHashes]);
  expect(most(found, "primary_transactions_5")).toBe(txHashes.length);
  expect(most(found, "primary_raw_blocks_5")).toBe(txHashes.length);
});

describe("E8 sums", () => {
  const values = async (name: string, time: number) => {
    const { rows } = await database.pool.query(`SELECT ARRAY[${owner(name)}] AS owners`);
    return [5, rows[0].owners, "P", 1_000_000, time, Buffer.alloc(32)];
  };

  it("of the current state read only the index, and table rows only of outputs with several owners", async () => {
    const found = await scans(SUMS_OF_OUTPUTS, await values("many", Number.MAX_SAFE_INTEGER));
    const unspent = found.filter(({ rows }) => rows > 0);
    expect(unspent).toEqual([
      { table: "utxos_5", kind: "Index Only Scan", rows: OWNED / 2, removed: 0 },
      { table: "utxos_5", kind: "Bitmap Heap Scan", rows: OUTPUT_COUNT / 1_000, removed: 0 },
    ]);
    expect(found.filter(({ kind }) => kind === "Seq Scan").map(({ table }) => table)).not.toContain("utxos_5");
  });

  it("at a time also read outputs that were spent later", async () => {
    const time = 1_000 + OUTPUT_COUNT - 2_000;
    const found = await scans(SUMS_OF_OUTPUTS, await values("many", time));
    const spent = found.filter(
      ({ table, kind }) => table === "utxos_5" && kind !== "Index Only Scan" && kind !== "Bitmap Heap Scan",
    );
    // One output in twenty belongs to the owner and is spent 500 seconds after its creation: 27,520 to 29,980.
    expect(spent.map(({ kind, rows, removed }) => [kind, rows + removed])).toEqual([["Index Scan", 2_500 / 20 - 1]]);
  });

  it("after a block read the same of the outputs of earlier times", async () => {
    const time = 1_000 + OUTPUT_COUNT - 2_000;
    const at = await values("many", time);
    const read = (found: readonly Scan[], kind: string) =>
      found
        .filter((scan) => scan.table === "utxos_5" && scan.kind === kind)
        .reduce((sum, { rows, removed }) => sum + rows + removed, 0);
    const ofTime = await scans(SUMS_OF_OUTPUTS, at);
    const ofBlock = await scans(SUMS_OF_OUTPUTS_AT_BLOCK, [...at, 5]);
    expect(ofBlock.filter(({ kind }) => kind === "Seq Scan").map(({ table }) => table)).not.toContain("utxos_5");
    for (const kind of ["Index Only Scan", "Index Scan", "Bitmap Heap Scan"])
      expect(Math.abs(read(ofBlock, kind) - read(ofTime, kind))).toBeLessThanOrEqual(1);
  });

  it("of importable outputs read no other outputs", async () => {
    const found = await scans(SUMS_OF_IMPORTABLE, await values("many", Number.MAX_SAFE_INTEGER));
    const ofOneOwner = found.filter(({ table, kind }) => table === "utxos_5" && kind !== "Bitmap Heap Scan");
    expect(ofOneOwner.map(({ rows, removed }) => rows + removed)).toEqual([0, 0]);
    expect(ofOneOwner).toContainEqual({ table: "utxos_5", kind: "Index Only Scan", rows: 0, removed: 0 });
  });
});
