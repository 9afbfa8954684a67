import { type ExecutionResult, graphql } from "graphql";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { distinctStatementsOf, statementsOf } from "../../../test/support/database/statements.ts";
import { createHoldersDatabase, HOLDERS_CHAIN, HOLDERS_CONFIG } from "../../../test/support/indexed/holders-chain.ts";
import { createSubgraph as createMetricsSubgraph, type MetricsSubgraph } from "../subgraph.ts";

/** An address that had all ids of a collection, and a collection and an id of it that all addresses had. */
const COLLECTOR = `0x${"e1".repeat(20)}`;
const COLLECTION = `0x${"e2".repeat(20)}`;
const ITEM = "5000";
/** Tokens of the collector, and holders of the collection. */
const COUNT = 3_000;
/** The first of them, whose balance changed in each of so many blocks. */
const CHANGES = 9_000;
const SIZE = 21;
/** Candidates of a statement of the subgraph `hurried`. */
const MAX_CANDIDATES = 40;

/** Item n is held from block n on, and every third one only until block 9,500. */
const CHANGES_OF_BALANCES = `SELECT n, n AS block_number, n AS balance FROM generate_series(2, ${COUNT}) n
  UNION ALL SELECT n, 9500, 0 FROM generate_series(3, ${COUNT}, 3) n
  UNION ALL SELECT 1, block, block FROM generate_series(1, ${CHANGES}) block`;
const isHeld = (n: number, block: number): boolean => n <= block && (n % 3 !== 0 || block < 9_500);
const balanceOf = (n: number, block: number): number => (n === 1 ? Math.min(block, CHANGES) : n);
const heldAfter = (block: number): [n: number, balance: number][] =>
  Array.from({ length: COUNT }, (_, index) => index + 1)
    .filter((n) => isHeld(n, block))
    .map((n) => [n, balanceOf(n, block)]);

const hex = (address: string): string => `'\\x${address.slice(2)}'`;

let database: TestDatabase;
let metrics: MetricsSubgraph;
/** The same with statements that consider fewer candidates. */
let hurried: MetricsSubgraph;
beforeAll(async () => {
  database = await createHoldersDatabase();
  const { pool } = database;
  for (const table of ["nft_item_balances", "nft_collection_balances"])
    await pool.query(`CREATE TABLE ${table}_${HOLDERS_CHAIN} PARTITION OF ${table} FOR VALUES IN (${HOLDERS_CHAIN})`);
  const address = "decode(lpad(to_hex(n), 40, '0'), 'hex')";
  for (const statement of [
    `INSERT INTO nft_item_balances (chain_id, block_number, address, token_address, token_id, erc_type, balance)
       SELECT ${HOLDERS_CHAIN}, block_number, ${hex(COLLECTOR)}, ${hex(COLLECTION)}, n, CASE WHEN n % 2 = 0 THEN 'ERC-721' ELSE 'ERC-1155' END, balance
       FROM (${CHANGES_OF_BALANCES}) change`,
    `INSERT INTO nft_item_balances (chain_id, block_number, address, token_address, token_id, erc_type, balance)
       SELECT ${HOLDERS_CHAIN}, block_number, ${address}, ${hex(COLLECTION)}, ${ITEM}, 'ERC-1155', balance FROM (${CHANGES_OF_BALANCES}) change`,
    `INSERT INTO nft_collection_balances (chain_id, block_number, token_address, address, balance)
       SELECT ${HOLDERS_CHAIN}, block_number, ${hex(COLLECTION)}, ${address}, balance FROM (${CHANGES_OF_BALANCES}) change`,
    "VACUUM ANALYZE",
  ])
    await pool.query(statement);
  const deps = { config: HOLDERS_CONFIG, database, logger: createLogger("silent") };
  metrics = await createMetricsSubgraph(deps);
  hurried = await createMetricsSubgraph({ ...deps, maxCandidates: MAX_CANDIDATES });
}, 30_000);
afterAll(() => database[Symbol.asyncDispose]());

interface Page {
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly endCursor: string | null;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
  };
  readonly totalCount?: { readonly count: string; readonly isExact: boolean };
  readonly nodes: readonly {
    readonly token?: { readonly tokenId: string };
    readonly address?: string;
    balance: string;
  }[];
}

/** The lists, each in its parent. */
const LISTS = {
  nfts: (list: string) => `address(chainId: "${HOLDERS_CHAIN}", address: "${COLLECTOR}") { list: nfts(${list} }`,
  "holders of a collection": (list: string) =>
    `_entities(representations: [{ __typename: "NftCollection", chainId: "${HOLDERS_CHAIN}", address: "${COLLECTION}" }]) {
      ... on NftCollection { list: holders(orderBy: ADDRESS, ${list} } }`,
  "holders of an ERC-1155 token": (list: string) =>
    `_entities(representations: [{ __typename: "Erc1155Token", chainId: "${HOLDERS_CHAIN}", address: "${COLLECTION}", tokenId: "${ITEM}" }]) {
      ... on Erc1155Token { list: holders(orderBy: ADDRESS, ${list} } }`,
} as const;
type List = keyof typeof LISTS;
const NAMES = Object.keys(LISTS) as List[];

async function pageOf(list: List, args: string, { schema, context } = metrics, more = ""): Promise<Page> {
  const node =
    list === "nfts"
      ? "token { ... on Erc721Token { tokenId } ... on Erc1155Token { tokenId } } balance"
      : "address balance";
  const source = `{ ${LISTS[list](`${args}) { ${more} pageInfo { hasNextPage endCursor hasPreviousPage startCursor } nodes { ${node} } }`)} }`;
  const contextValue = context({ work: createWork(), requestId: "test" });
  const { data, errors }: ExecutionResult = await graphql({ schema, source, contextValue });
  expect(errors).toBeUndefined();
  const [root] = Object.values(data ?? {}).flat() as { list: Page }[];
  return (root as { list: Page }).list;
}

const itemsIn = ({ nodes }: Page): [n: number, balance: number][] =>
  nodes.map(({ token, address, balance }) => [Number(token?.tokenId ?? address), Number(balance)]);
const at = (block: number): string => `at: { block: "${block}" }`;

describe.each(NAMES)("%s after a block", (list) => {
  it.each([1, 1_500, 9_499, 9_500, 9_999])(
    "has what was held then, also what was given away later: %i",
    async (block) => {
      for (const size of [7, 100])
        expect(itemsIn(await pageOf(list, `${at(block)}, first: ${size}`))).toEqual(heldAfter(block).slice(0, size));
      const expected = heldAfter(block);
      for (const size of [7, 100])
        expect(itemsIn(await pageOf(list, `${at(block)}, last: ${size}`))).toEqual(expected.slice(-size));
    },
  );

  it("ends a page after ten statements, and its cursor leads on to all items, in both directions", async () => {
    for (const [block, args] of [
      [20, "first: 100"],
      [9_700, "first: 30"],
    ] as const) {
      const found: [number, number][] = [];
      const counts: number[] = [];
      for (let after: string | null = ""; after !== null && counts.length < 500; ) {
        let page: Page | null = null;
        const statements = await statementsOf(async () => {
          page = await pageOf(list, `${at(block)}, ${args}, after: "${after}"`, hurried);
        });
        counts.push(statements.filter((text) => text.includes("WITH RECURSIVE walk")).length);
        const { pageInfo } = page as unknown as Page;
        found.push(...itemsIn(page as unknown as Page));
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      }
      expect(found).toEqual(heldAfter(block));
      expect(counts.length).toBeGreaterThan(2);
      expect(Math.max(...counts)).toBeLessThanOrEqual(10);
    }
    const found: [number, number][] = [];
    for (let before: string | null = "", pages = 0; before !== null && pages < 20; pages++) {
      const page: Page = await pageOf(list, `${at(20)}, last: 100, before: "${before}"`, hurried);
      found.unshift(...itemsIn(page));
      before = page.pageInfo.hasPreviousPage ? page.pageInfo.startCursor : null;
    }
    expect(found).toEqual(heldAfter(20));
  });
});

it("the NFTs of an address after a block are counted up to 1,000", async () => {
  const countAt = async (block: number) =>
    (await pageOf("nfts", `${at(block)}, first: 1`, metrics, "totalCount { count isExact }")).totalCount;
  expect(await countAt(300)).toEqual({ count: "300", isExact: false });
  expect(await countAt(9_000)).toEqual({ count: "1000", isExact: false });
});

describe.each([
  ["for its values", scansOf],
  ["for any values", scansOfGenericPlan],
] as const)("with a plan %s, a statement reads two index entries for each candidate:", (_, scans) => {
  it.each(NAMES)("%s", async (list) => {
    const cursorAt = async (block: number, first: number) =>
      (await pageOf(list, `${at(block)}, first: ${first}`)).pageInfo.endCursor;
    for (const [args, candidates] of [
      // The first item is the one whose balance changed in each block.
      [`${at(8_000)}, first: ${SIZE - 1}`, SIZE],
      [`${at(8_000)}, last: ${SIZE - 1}`, SIZE],
      [`${at(9_400)}, first: ${SIZE - 1}, after: "${await cursorAt(9_400, 90)}"`, SIZE],
      [`${at(9_400)}, last: ${SIZE - 1}, before: "${await cursorAt(9_400, SIZE)}"`, SIZE],
      // No other item was held then.
      [`${at(1)}, first: ${SIZE - 1}, after: "${await cursorAt(1, 1)}"`, MAX_CANDIDATES],
      [`${at(1)}, last: ${SIZE - 1}`, MAX_CANDIDATES],
    ] as const) {
      const sent = await distinctStatementsOf(() => pageOf(list, args, hurried));
      const [statement, ...others] = sent.filter(({ text }) => text.includes("WITH RECURSIVE walk"));
      expect(others).toEqual([]);
      const { text = "", values = [] } = statement ?? {};
      const found = await scans(database.pool, text, values);
      const own = found.filter(({ table }) => /^nft_\w+_balances_/.test(table));
      expect(own.map(({ kind }) => kind)).toEqual(["Index Only Scan", "Index Only Scan"]);
      const read = own.reduce((sum, { rows, removed }) => sum + rows + removed, 0);
      expect(read).toBeGreaterThanOrEqual(candidates);
      expect(read).toBeLessThanOrEqual(2 * candidates + 1);
    }
  });
});
