import { type ExecutionResult, graphql } from "graphql";
import { partitionValues } from "../../../core/database/by-partition.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { type Scan, scansOf } from "../../../test/support/database/plans.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { isFullRun } from "../../../test/support/full.ts";
import {
  addBalance,
  type BalanceAfter,
  createHoldersDatabase,
  HOLDERS_CHAIN,
  HOLDERS_CONFIG,
  HOLDERS_HEAD,
  LARGE_TOKEN,
  OTHER_TOKEN,
  SMALL_TOKEN,
} from "../../../test/support/indexed/holders-chain.ts";
import { expectedHoldersAbove, tokenHistory } from "../../../test/support/oracle/token-holders-oracle.ts";
import { createRandomIntegers } from "../../../test/support/random.ts";
import type { MetricsContext } from "../context.ts";
import { MAX_CANDIDATES } from "../holders/keys.ts";
import { createSubgraph as createMetricsSubgraph, type MetricsSubgraph } from "../subgraph.ts";
import { readHoldersAbove } from "./pages.ts";
import { holdersAboveStatement } from "./statement.ts";
import { type HoldersAboveKey, PARAMETERS } from "./store.ts";

let database: TestDatabase;
let metrics: MetricsSubgraph;
/** The same with pages that consider three addresses. */
let hurried: MetricsSubgraph;
beforeAll(async () => {
  database = await createHoldersDatabase();
  metrics = await createMetricsSubgraph({ config: HOLDERS_CONFIG, database, logger: createLogger("silent") });
  hurried = await createMetricsSubgraph({
    config: HOLDERS_CONFIG,
    database,
    logger: createLogger("silent"),
    maxCandidates: 3,
  });
}, 30_000);
afterAll(() => database[Symbol.asyncDispose]());

const ask = (source: string, { schema, context } = metrics): Promise<ExecutionResult> =>
  graphql({ schema, source, contextValue: context({ work: createWork(), requestId: "test" }) });

interface Page {
  readonly nextPageToken: string | null;
  readonly holders: readonly { readonly address: string; readonly balance: string }[];
}

async function pageOf(args: string, token: string | null, subgraph: MetricsSubgraph): Promise<Page> {
  const after = token === null ? "" : `, after: "${token}"`;
  const { data, errors } = await ask(
    `{ erc20HoldersAbove(chainId: "${HOLDERS_CHAIN}", ${args}${after}) { nextPageToken holders: nodes { address balance } } }`,
    subgraph,
  );
  expect(errors).toBeUndefined();
  return data?.["erc20HoldersAbove"] as Page;
}

describe("Erc20Token.holdersAbove", () => {
  const key = {
    chainId: HOLDERS_CHAIN,
    tokenAddress: LARGE_TOKEN,
    threshold: "5",
    from: 0,
    to: 1e12,
    after: null,
    size: 11,
  };
  /** The cursor after the last address whose highest balance is at most this one. */
  async function cursorAfter(peak: number, tokenAddress = LARGE_TOKEN, pinned = HOLDERS_HEAD): Promise<string> {
    const { rows } = await database.pool.query<{ holder_id: number }>(
      `SELECT holder_id FROM erc20_holders WHERE token_address = $1 AND max_balance <= $2
        ORDER BY max_balance DESC, address DESC LIMIT 1`,
      [Buffer.from(tokenAddress.slice(2), "hex"), peak],
    );
    return `${pinned} ${rows[0]?.holder_id}`;
  }

  it.each([
    ["a first page", {}, null, 11],
    ["a high threshold", { threshold: "1999000" }, null, 11],
    ["a later page", {}, HOLDERS_HEAD, 11],
    // Addresses whose highest balance is before or after the frame are looked up in the history.
    ["a frame", { threshold: "1000000", from: 3_000, to: 9_000 }, null, 60],
    ["a page that was begun 1,001 blocks ago", {}, HOLDERS_HEAD - 1_001, 60],
  ])("reads only what the page needs, by index: %s", async (_, change, pinned, most) => {
    const after = pinned === null ? null : await cursorAfter(500_000, LARGE_TOKEN, pinned);
    const scans = await scansOf(
      database.pool,
      holdersAboveStatement(MAX_CANDIDATES),
      partitionValues([{ ...key, ...change, after }], PARAMETERS),
    );
    const kindsOf = (name: string) => scans.filter(({ table }) => table.startsWith(name)).map(({ kind }) => kind);
    for (const table of ["erc20_", "evm_blocks"])
      expect(kindsOf(table).filter((kind) => kind !== "Index Scan" && kind !== "Index Only Scan")).toEqual([]);
    for (const { table, rows, removed } of scans)
      if (table.startsWith("erc20_")) expect([table, rows + removed <= most]).toEqual([table, true]);
    // The frame is computed once, not for each address.
    const blocks = scans.filter(({ table }) => table.startsWith("evm_blocks"));
    expect(blocks.reduce((sum, { rows, removed }) => sum + rows + removed, 0)).toBeLessThanOrEqual(4);
  });

  /** The time frame of the blocks 1,000 to 4,000. */
  const FRAME = { from: 3_000, to: 9_001 };

  /** Number of scans that read the history of addresses. */
  async function historyScans(change: Partial<HoldersAboveKey>): Promise<number> {
    const values = partitionValues([{ ...key, ...change }], PARAMETERS);
    const scans = await scansOf(database.pool, holdersAboveStatement(MAX_CANDIDATES), values);
    // Before version 18, PostgreSQL rounds the rows of each repetition of a scan to whole rows.
    const isRead = ({ rows, removed }: Scan) => rows + removed > 0;
    return scans.filter((scan) => scan.table.startsWith("erc20_balances") && isRead(scan)).length;
  }

  it("reads no history if the rows of the holders have all past balances", async () => {
    const scans = [LARGE_TOKEN, OTHER_TOKEN].map(async (tokenAddress) =>
      historyScans({ ...FRAME, tokenAddress, after: await cursorAfter(900_000, tokenAddress) }),
    );
    expect(await Promise.all(scans)).toEqual([1, 0]);
  });

  it("reads no history of addresses with only one balance above the threshold", async () => {
    const after = await cursorAfter(1_100_000);
    const scans = ["1000002", "5"].map((threshold) => historyScans({ ...FRAME, threshold, after }));
    expect(await Promise.all(scans)).toEqual([0, 1]);
  });

  it("reads the pages of several tokens in one statement, and makes their page tokens without any", async () => {
    const fields = 'holdersAbove(threshold: "5", first: 2) { nextPageToken holders: nodes { address } }';
    const keys = [LARGE_TOKEN, OTHER_TOKEN, SMALL_TOKEN].map(
      (address) => `{ __typename: "Erc20Token", chainId: "${HOLDERS_CHAIN}", address: "${address}" }`,
    );
    let found: ExecutionResult | undefined;
    const statements = await statementsOf(async () => {
      found = await ask(`{ _entities(representations: [${keys}]) { ... on Erc20Token { ${fields} } } }`);
    });
    expect(statements.map((text) => text.split(" ")[0])).toEqual(["SELECT"]);
    expect(found?.data?.["_entities"]).toMatchObject([
      { holdersAbove: { holders: [{}, {}] } },
      { holdersAbove: { holders: [{}, {}] } },
      { holdersAbove: { holders: [], nextPageToken: null } },
    ]);
  });

  it("fails if the chain is not indexed any more when a page that is not full is completed", async () => {
    const context = hurried.context({ work: createWork(), requestId: "test" });
    const ofFirst = async (key: Parameters<typeof context.load.holdersAbove>[0]) =>
      key.after === null ? context.load.holdersAbove(key) : null;
    const token = { chainId: HOLDERS_CHAIN, address: LARGE_TOKEN };
    const load = Object.create(context.load, { holdersAbove: { value: ofFirst } });
    const request = { token, threshold: "5", from: null, to: null, page: { size: 60 } };
    const later = Object.create(context, { load: { value: load } }) as MetricsContext;
    await expect(readHoldersAbove(request, later)).rejects.toMatchObject({
      message: `chain ${HOLDERS_CHAIN} is not indexed yet: its indexer has not started`,
      extensions: { code: "UNAVAILABLE" },
    });
  });

  it("lists each address once, as of the first page, while balances change between the pages", async () => {
    const random = createRandomIntegers(7);
    const addresses = Array.from({ length: 12 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, "0")}`);
    const changes: BalanceAfter[] = [];
    let block = HOLDERS_HEAD;
    const someBlocks = async (count: number) => {
      const added = Array.from({ length: count }, () => {
        block += random() % 2;
        return { address: addresses[random() % 12] as string, block, balance: BigInt(random() % 40) - 3n };
      });
      for (const change of added) {
        // An address has one balance after each block.
        if (changes.some(({ address, block }) => address === change.address && block === change.block)) continue;
        changes.push(change);
        await addBalance(database, change);
      }
    };
    let later = 0;
    for (let walk = 0; walk < (isFullRun ? 200 : 12); walk++) {
      await someBlocks(4);
      const frame = walk % 3 === 0 ? {} : { from: 1_000 + 2 * (block - (random() % 9)), to: 1_000 + 2 * (block - 1) };
      const threshold = BigInt(random() % 15);
      const args = `address: "${SMALL_TOKEN}", threshold: "${threshold}", first: ${1 + (walk % 2)}${frame.from ? `, startTimestamp: ${frame.from}, endTimestamp: ${frame.to}` : ""}`;
      const expected = expectedHoldersAbove(historyOf(changes), threshold, frame).map(({ address }) => address);
      const found: string[] = [];
      for (let token: string | null = null; ; ) {
        const page: Page = await pageOf(args, token, walk % 2 === 0 ? metrics : hurried);
        // Only the only page may be empty: a token leads to another address.
        if (page.holders.length === 0) expect([token, page.nextPageToken]).toEqual([null, null]);
        found.push(...page.holders.map(({ address }) => address.toLowerCase()));
        token = page.nextPageToken;
        if (token === null) break;
        later++;
        block++;
        await someBlocks(3);
      }
      expect([walk, found]).toEqual([walk, expected]);
    }
    expect(later).toBeGreaterThan(30);
  });
});

function historyOf(changes: readonly BalanceAfter[]) {
  const rows = changes.map(({ address, block, balance }) => ({
    token_address: SMALL_TOKEN,
    address,
    block_number: String(block),
    balance: balance.toString(),
  }));
  const blocks = changes.map(({ block }) => ({ number: block, seconds: 1_000 + 2 * block }));
  return tokenHistory(SMALL_TOKEN, rows, blocks);
}
