import { createWork } from "../../../core/work/work.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { type Scan, scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { createValidatorSetStore, type Member, type ValidatorSetKey } from "./store.ts";

const NETWORK = "5";
const SUBNET = `0x${"ab".repeat(32)}`;
const PRIMARY = `0x${"00".repeat(32)}`;
const HEAD = 10_000;
/** Nodes that were ever in the set. Each had ten weights, one after the other, and about half of them left before the head. */
const NODES = 5_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const statement of [
    "CREATE TABLE validator_weights_5 PARTITION OF validator_weights FOR VALUES IN (5)",
    `INSERT INTO primary_heads VALUES (5, 'P', 0, ${HEAD}, '\\x', '\\x', 0, 0, 1)`,
    `INSERT INTO validator_weights SELECT 5, '\\x${SUBNET.slice(2)}', substring(sha256(n::text::bytea), 1, 20),
       n % 4000 + change * 500, CASE WHEN change = 10 AND n % 2 = 0 THEN ${2n ** 63n - 1n} ELSE n % 4000 + change * 500 + 500 END,
       n * 10 + change, substring(sha256(n::text::bytea), 1, 20), NULL
     FROM generate_series(1, ${NODES}) n, generate_series(1, 10) change`,
    `INSERT INTO validator_weights SELECT 5, '\\x${PRIMARY.slice(2)}', substring(sha256(n::text::bytea), 1, 20), 0, ${2n ** 63n - 1n}, 1,
       substring(sha256(n::text::bytea), 1, 20), int8send(n) FROM generate_series(3, ${NODES}, 3) n`,
    "ANALYZE validator_weights_5",
  ])
    await database.pool.query(statement);
}, 30_000);
afterAll(() => database[Symbol.asyncDispose]());

const key = (height: number, entryId: string | null = null, size = 100, isBackward = false): ValidatorSetKey => ({
  networkId: NETWORK,
  subnetId: SUBNET,
  blockNumber: String(height),
  entryId,
  isBackward,
  size,
});

/** The whole set after a block, in one statement over all rows. */
async function setAfter(height: number): Promise<Member[]> {
  const { rows } = await database.pool.query<Member>(
    `SELECT '0x' || encode(w.entry_id, 'hex') AS "entryId", w.weight::text, '0x' || encode(w.node_id, 'hex') AS "nodeId",
       '0x' || encode(p.bls_public_key, 'hex') AS "blsPublicKey"
     FROM validator_weights w LEFT JOIN validator_weights p ON p.subnet_id = $2 AND p.entry_id = w.node_id
     WHERE w.subnet_id = $1 AND w.block_number <= $3 AND w.until_block > $3 ORDER BY w.entry_id`,
    [`\\x${SUBNET.slice(2)}`, `\\x${PRIMARY.slice(2)}`, height],
  );
  return rows;
}

it.each([0, 500, 3_000, 9_999, HEAD])(
  "the members after a block are all that were valid then, page after page: %i",
  async (height) => {
    for (const [maxEntries, size] of [
      [undefined, 1_000],
      [70, 100],
    ] as const)
      for (const isBackward of [false, true]) {
        const { pages } = createValidatorSetStore(database, maxEntries);
        const found: Member[] = [];
        for (let entryId: string | null | undefined = null; entryId !== undefined; ) {
          const [page] = await pages([key(height, entryId, size, isBackward)], createWork());
          found.push(...(page?.items ?? []));
          expect(page?.items.length).toBeLessThanOrEqual(size);
          expect(page?.head).toBe(String(HEAD));
          entryId = (page?.items.length === size ? page.items.at(-1)?.entryId : page?.lastCandidate) ?? undefined;
        }
        expect(isBackward ? found.reverse() : found).toEqual(await setAfter(height));
      }
  },
);

it.each([
  ["for its values", scansOf],
  ["for any values", scansOfGenericPlan],
])("a page reads by index two rows for each node that it considers: plan %s", async (_, scans) => {
  const { pages } = createValidatorSetStore(database, 300);
  const [statement = ""] = await statementsOf(() => pages([key(1)], createWork()).then(() => undefined));
  const quote = (hex: string) => (scans === scansOf ? `\\x${hex.slice(2)}` : `"\\\\x${hex.slice(2)}"`);
  const read = async (height: number): Promise<number> => {
    const values = [NETWORK, [quote(SUBNET)], [String(height)], [quote("0x")], ["21"]];
    const found = await scans(database.pool, statement, values);
    const ofWeights = found.filter(({ table }: Scan) => table === "validator_weights_5");
    expect(ofWeights.map(({ kind }) => kind)).not.toContain("Seq Scan");
    return ofWeights.reduce((sum, { rows, removed }) => sum + rows + removed, 0);
  };
  // Nobody was in the set: 300 nodes are considered. PostgreSQL rounds the rows of each repetition.
  expect(await read(0)).toBeLessThanOrEqual(2 * 300);
  // A page of 21 of them, and their keys in the primary network.
  expect(await read(HEAD)).toBeLessThanOrEqual(2 * 21 * 4);
});

it("pages of several subnets are one statement, and their sizes are limited together", async () => {
  const { pages } = createValidatorSetStore(database);
  const other = { ...key(3_000), subnetId: PRIMARY };
  const statements = await statementsOf(async () => {
    const found = await pages([key(3_000), other], createWork());
    expect(found.map(({ items }) => items.length)).toEqual([100, 100]);
  });
  expect(statements).toHaveLength(1);
  const many = Array.from({ length: 11 }, (_, n) => key(n, null, 1_001));
  await expect(pages(many, createWork())).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
});
