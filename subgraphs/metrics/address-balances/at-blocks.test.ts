import { type ExecutionResult, graphql } from "graphql";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { type Scan, scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { createHoldersDatabase, HOLDERS_CHAIN, HOLDERS_CONFIG } from "../../../test/support/indexed/holders-chain.ts";
import { createSubgraph as createMetricsSubgraph, type MetricsSubgraph } from "../subgraph.ts";
import { createErc20BalancesAtBlocks } from "./at-blocks.ts";

/** An address that had 15,000 tokens: each from block n % 9,000 + 1 on, and every third one only until block 9,500. */
const COLLECTOR = `0x${"e0".repeat(20)}`;
const TOKENS = 15_000;
const SIZE = 21;
/** Numbers of the collector's rows begin after those of the other holders. */
const FIRST_ID = 1_000_000;

const tokenOf = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;
const heldAfter = (block: number): string[] =>
  Array.from({ length: TOKENS }, (_, index) => index + 1)
    .filter((n) => (n % 9_000) + 1 <= block && (n % 3 !== 0 || block < 9_500))
    .map(tokenOf);

let database: TestDatabase;
let metrics: MetricsSubgraph;
/** The same with statements that consider 40 tokens. */
let hurried: MetricsSubgraph;
beforeAll(async () => {
  database = await createHoldersDatabase();
  const { pool } = database;
  const chain = HOLDERS_CHAIN;
  for (const statement of [
    `CREATE TABLE erc20_tokens_${chain} PARTITION OF erc20_tokens FOR VALUES IN (${chain})`,
    `INSERT INTO erc20_holders SELECT ${chain}, decode(lpad(to_hex(n), 40, '0'), 'hex'), '\\x${COLLECTOR.slice(2)}',
       CASE WHEN n % 3 = 0 THEN 0 ELSE n END, n, n % 9000 + 1, n % 9000 + 1, CASE WHEN n % 3 = 0 THEN 9500 ELSE n % 9000 + 1 END,
       CASE WHEN n % 3 = 0 THEN ARRAY[n % 9000 + 1] END, CASE WHEN n % 3 = 0 THEN ARRAY[n] END, NULL, NULL, ${FIRST_ID} + n
     FROM generate_series(1, ${TOKENS}) n`,
    `INSERT INTO erc20_balances SELECT ${chain}, ${FIRST_ID} + n, n % 9000 + 1, n FROM generate_series(1, ${TOKENS}) n`,
    `INSERT INTO erc20_balances SELECT ${chain}, ${FIRST_ID} + n, 9500, 0 FROM generate_series(3, ${TOKENS}, 3) n`,
    "VACUUM ANALYZE",
  ])
    await pool.query(statement);
  const deps = { config: HOLDERS_CONFIG, database, logger: createLogger("silent") };
  metrics = await createMetricsSubgraph(deps);
  hurried = await createMetricsSubgraph({ ...deps, maxCandidates: 40 });
}, 30_000);
afterAll(() => database[Symbol.asyncDispose]());

interface Page {
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly endCursor: string | null;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
  };
  readonly balances: readonly { readonly token: { readonly address: string }; readonly balance: string }[];
}

async function pageOf(args: string, { schema, context } = metrics): Promise<Page> {
  const source = `{ address(chainId: "${HOLDERS_CHAIN}", address: "${COLLECTOR}") {
    erc20Balances(${args}) { pageInfo { hasNextPage endCursor hasPreviousPage startCursor } balances: nodes { token { address } balance } } } }`;
  const contextValue = context({ work: createWork(), requestId: "test" });
  const { data, errors }: ExecutionResult = await graphql({ schema, source, contextValue });
  expect(errors).toBeUndefined();
  return (data as unknown as { address: { erc20Balances: Page } }).address.erc20Balances;
}

const addresses = ({ balances }: Page): string[] => balances.map(({ token }) => token.address.toLowerCase());

describe("the ERC-20 tokens of an address after a block", () => {
  it.each([4_321, 9_000, 9_499, 9_500, 9_999])(
    "are those that it held then, also those that it gave away later: %i",
    async (block) => {
      for (const size of [7, 100]) {
        const page = await pageOf(`at: { block: ${block} }, first: ${size}`);
        const expected = heldAfter(block).slice(0, size);
        expect(addresses(page)).toEqual(expected);
        expect(page.balances.map(({ balance }) => balance)).toEqual(expected.map((token) => String(Number(token))));
      }
    },
  );

  it("end a page after ten statements, and its token leads on to all of them", async () => {
    const found: string[] = [];
    const counts: number[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const args = `at: { block: 20 }, first: 100, after: "${after}"`;
      let page: Page | null = null;
      const statements = await statementsOf(async () => {
        page = await pageOf(args, hurried);
      });
      counts.push(statements.filter((text) => text.includes("last_candidate")).length);
      const { pageInfo } = page as unknown as Page;
      found.push(...addresses(page as unknown as Page));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    }
    expect(found).toEqual(heldAfter(20));
    expect(counts.length).toBeGreaterThan(2);
    expect(Math.max(...counts)).toBe(10);
  });

  it("are the same backward, from the end of the list and from any cursor, also in parts", async () => {
    for (const [block, subgraph, size] of [
      [4_321, metrics, 100],
      [4_321, hurried, 20],
    ] as const) {
      const found: string[] = [];
      for (let before: string | null = "", pages = 0; before !== null && pages < 20; pages++) {
        const page: Page = await pageOf(`at: { block: ${block} }, last: ${size}, before: "${before}"`, subgraph);
        found.unshift(...addresses(page));
        before = page.pageInfo.hasPreviousPage ? page.pageInfo.startCursor : null;
      }
      expect(found.length).toBeGreaterThan(100);
      expect(found).toEqual(heldAfter(block).slice(-found.length));
    }
  });

  it.each([
    ["for its values", scansOf],
    ["for any values", scansOfGenericPlan],
  ])("are read by two indexes, at most 1,000 rows of each: plan %s", async (_, scans) => {
    const key = {
      chainId: HOLDERS_CHAIN,
      address: COLLECTOR,
      blockNumber: "9400",
      after: tokenOf(5_000),
      isBackward: false,
      size: SIZE,
    };
    const read = createErc20BalancesAtBlocks(database);
    const [statement = ""] = await statementsOf(() => read([key], createWork()).then(() => undefined));
    const rowsAt = async (block: string): Promise<Scan[]> => {
      const values = [
        HOLDERS_CHAIN,
        [`\\x${COLLECTOR.slice(2)}`],
        [block],
        [`\\x${tokenOf(5_000).slice(2)}`],
        [String(SIZE)],
      ];
      const found = await scans(database.pool, statement, values);
      expect(found.filter(({ kind }) => kind === "Seq Scan").map(({ table }) => table)).not.toContain(
        `erc20_holders_${HOLDERS_CHAIN}`,
      );
      return found;
    };
    const rowsOf = (found: readonly Scan[], table: string) =>
      found
        .filter((scan) => scan.table === `${table}_${HOLDERS_CHAIN}`)
        .reduce((sum, { rows, removed }) => sum + rows + removed, 0);
    const full = await rowsAt("9400");
    // Up to 1,000 rows of each index; of the page, a third of the balances changed later.
    expect(rowsOf(full, "erc20_holders")).toBeLessThanOrEqual(2 * 1_000);
    expect(rowsOf(full, "erc20_holders")).toBeGreaterThanOrEqual(SIZE);
    expect(rowsOf(full, "erc20_balances")).toBeLessThanOrEqual(SIZE / 3 + 1);
    // Nothing was held then.
    const empty = await rowsAt("0");
    expect(rowsOf(empty, "erc20_holders")).toBeLessThanOrEqual(2 * 1_000);
    expect(rowsOf(empty, "erc20_balances")).toBe(0);
  });
});
