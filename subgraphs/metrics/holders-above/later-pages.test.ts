import { graphql } from "graphql";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import {
  addBalance,
  createHoldersDatabase,
  HOLDERS_CHAIN,
  HOLDERS_CONFIG,
  HOLDERS_HEAD,
  LARGE_TOKEN,
  SMALL_TOKEN,
} from "../../../test/support/indexed/holders-chain.ts";
import { createRandomIntegers } from "../../../test/support/random.ts";
import { createSubgraph as createMetricsSubgraph, type MetricsSubgraph } from "../subgraph.ts";

const ADDRESSES = Array.from({ length: 24 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, "0")}`);
const FIRST_BLOCK = HOLDERS_HEAD + 1;
const PINNED_BLOCK = HOLDERS_HEAD + 6;
const LAST_BLOCK = HOLDERS_HEAD + 26;
const THRESHOLD = 20;

/** Gives about half of the addresses a balance after each of these blocks. */
async function addBlocks(database: TestDatabase, random: () => number, from: number, to: number): Promise<void> {
  for (let block = from; block <= to; block++)
    for (const address of ADDRESSES)
      if (random() % 2 === 0) await addBalance(database, { address, block, balance: BigInt(random() % 60) - 3n });
}

/** The whole list and the present balances, from nothing but the balances after blocks. */
const NAIVE = `SELECT '0x' || encode(h.address, 'hex') AS address, past.balance
  FROM erc20_holders h, LATERAL (
    SELECT (array_agg(b.balance ORDER BY b.block_number DESC))[1] AS balance,
      max(b.balance) FILTER (WHERE b.block_number <= $3) AS peak,
      bool_or(b.balance > $2) FILTER (WHERE b.block_number BETWEEN $4 AND $5) AS is_above,
      (array_agg(b.balance ORDER BY b.block_number DESC) FILTER (WHERE b.block_number < $4))[1] > $2 AS began_above
    FROM erc20_balances b WHERE b.chain_id = h.chain_id AND b.holder_id = h.holder_id) past
  WHERE h.token_address = $1 AND (past.is_above OR past.began_above) ORDER BY past.peak, h.address`;

const secondsOf = (block: number): number => 1_000 + 2 * block;

interface Page {
  readonly nextPageToken: string | null;
  readonly holders: readonly { readonly address: string; readonly balance: string }[];
}

interface List {
  /** The first and the last block of the frame. */
  readonly first: number;
  readonly last: number;
  readonly args: string;
  readonly metrics: MetricsSubgraph;
}

async function readPage({ args, metrics }: List, token: string | null): Promise<Page> {
  const after = token === null ? "" : `, after: "${token}"`;
  const { data, errors } = await graphql({
    schema: metrics.schema,
    source: `{ erc20HoldersAbove(chainId: "${HOLDERS_CHAIN}", address: "${SMALL_TOKEN}", threshold: "${THRESHOLD}", first: 2
      ${args}${after}) { nextPageToken holders: nodes { address balance } } }`,
    contextValue: metrics.context({ work: createWork(), requestId: "test" }),
  });
  expect(errors).toBeUndefined();
  return data?.["erc20HoldersAbove"] as Page;
}

describe("the later pages of the addresses above a threshold", () => {
  it("list what a naive statement lists, after many changes of balances since the first page", async () => {
    await using database = await createHoldersDatabase();
    const options = { config: HOLDERS_CONFIG, database, logger: createLogger("silent") };
    const metrics = await createMetricsSubgraph(options);
    // Its pages consider three addresses.
    const hurried = await createMetricsSubgraph({ ...options, maxCandidates: 3 });
    const frame = { first: FIRST_BLOCK + 1, last: FIRST_BLOCK + 3 };
    const inFrame = `, startTimestamp: ${secondsOf(frame.first)}, endTimestamp: ${secondsOf(frame.last) + 1}`;
    const lists: readonly List[] = [
      { first: 0, last: PINNED_BLOCK, args: "", metrics },
      { ...frame, args: inFrame, metrics },
      { ...frame, args: inFrame, metrics: hurried },
    ];
    const random = createRandomIntegers(5);
    await addBlocks(database, random, FIRST_BLOCK, PINNED_BLOCK);
    const firstPages = await Promise.all(lists.map((list) => readPage(list, null)));
    await addBlocks(database, random, PINNED_BLOCK + 1, LAST_BLOCK);
    for (const [index, list] of lists.entries()) {
      const pages = [firstPages[index] as Page];
      for (let token = pages[0]?.nextPageToken; token; token = pages.at(-1)?.nextPageToken)
        pages.push(await readPage(list, token));
      expect(pages.length).toBeGreaterThan(6);
      const values = [Buffer.from(SMALL_TOKEN.slice(2), "hex"), THRESHOLD, PINNED_BLOCK, list.first, list.last];
      const { rows } = await database.pool.query(NAIVE, values);
      const found = pages.flatMap(({ holders }) => holders);
      expect(found.map(({ address }) => address.toLowerCase())).toEqual(rows.map(({ address }) => address));
      const later = pages[0]?.holders.length;
      expect(found.slice(later).map(({ balance }) => balance)).toEqual(rows.slice(later).map(({ balance }) => balance));
    }
  });

  it.each([
    [
      "a reorganisation has removed the address at which the page before ended",
      "DELETE FROM erc20_holders WHERE address = $1",
    ],
    [
      "the id of this address is now that of another one",
      `WITH moved AS (UPDATE erc20_holders SET holder_id = holder_id + 1000000 WHERE address = $1 RETURNING token_address, holder_id - 1000000 AS id)
        UPDATE erc20_holders h SET holder_id = moved.id FROM moved
        WHERE h.holder_id = (SELECT max(holder_id) FROM erc20_holders WHERE token_address = moved.token_address) AND h.token_address = moved.token_address`,
    ],
  ])("fail if %s", async (_, statement) => {
    await using database = await createHoldersDatabase();
    const { schema, context } = await createMetricsSubgraph({
      config: HOLDERS_CONFIG,
      database,
      logger: createLogger("silent"),
    });
    const read = (after: string) =>
      graphql({
        schema,
        source: `{ erc20HoldersAbove(chainId: "${HOLDERS_CHAIN}", address: "${LARGE_TOKEN}", threshold: "5", first: 2, after: "${after}") {
          nextPageToken holders: nodes { address } } }`,
        contextValue: context({ work: createWork(), requestId: "test" }),
      });
    const page = (await read("")).data?.["erc20HoldersAbove"] as Page;
    const address = Buffer.from(page.holders[1]?.address.slice(2) ?? "", "hex");
    expect((await database.pool.query(statement, [address])).rowCount).toBeGreaterThan(0);
    const { errors: [error] = [] } = await read(page.nextPageToken ?? "");
    expect(error?.extensions["code"]).toBe("INVALID_PARAMETER");
    expect(error?.message).toMatch(/^a reorganisation has removed the address at which the page before ended/);
  });
});
