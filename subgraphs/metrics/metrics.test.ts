import { type ExecutionResult, graphql } from "graphql";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import type { TestDatabase } from "../../test/support/database/database.ts";
import { scansOf } from "../../test/support/database/plans.ts";
import { statementsOf } from "../../test/support/database/statements.ts";
import {
  createMetricsDatabase,
  GENESIS_CHAIN,
  METRICS_BLOCKS,
  METRICS_CHAIN,
  METRICS_CONFIG,
  UNKNOWN_CHAIN,
} from "../../test/support/indexed/metrics-chain.ts";
import { type ExpectedPeriod, expectedPeriods, expectedSpan } from "../../test/support/oracle/metrics-oracle.ts";
import { PAGES } from "./activity/store.ts";
import { createSubgraph as createMetricsSubgraph, type MetricsSubgraph } from "./subgraph.ts";

const DAY = 86_400;
const clock = { nowSeconds: 1_900_000_000 };
let database: TestDatabase;
let metrics: MetricsSubgraph;

beforeAll(async () => {
  database = await createMetricsDatabase();
  const logger = createLogger("silent");
  metrics = await createMetricsSubgraph({
    config: METRICS_CONFIG,
    database,
    logger,
    nowSeconds: () => clock.nowSeconds,
  });
});
afterAll(() => database[Symbol.asyncDispose]());

const ask = (source: string): Promise<ExecutionResult> =>
  graphql({ schema: metrics.schema, source, contextValue: metrics.context({ work: createWork(), requestId: "test" }) });

/** The fields of chains, which other subgraphs return by their keys. */
const askChains = (fields: string, ...chainIds: string[]): Promise<ExecutionResult> => {
  const keys = chainIds.map((chainId) => `{ __typename: "Chain", chainId: "${chainId}" }`);
  return ask(`{ _entities(representations: [${keys}]) { ... on Chain { ${fields} } } }`);
};

function firstChain<Value>(data: ExecutionResult["data"]): Record<string, Value> {
  const { _entities } = data as { _entities: [Record<string, Value>] };
  return _entities[0];
}

async function ofChain<Value>(fields: string): Promise<Value> {
  const { data, errors } = await askChains(fields, METRICS_CHAIN);
  expect(errors).toBeUndefined();
  return Object.values(firstChain<Value>(data))[0] as Value;
}

const ITEM = `periodStart periodEnd isComplete blocks transactions gasUsed feesSpent activeAddresses newAddresses newContracts
  erc20Transfers averageTps averageGasPerSecond averageGasPrice`;

interface Page {
  readonly nextPageToken: string | null;
  readonly periods: readonly ExpectedPeriod[];
}

/** All items of a list that is read backward. */
async function backward<Item>(field: string, size: number, fields: string): Promise<Item[]> {
  interface Part {
    readonly nodes: readonly Item[];
    readonly pageInfo: { readonly hasPreviousPage: boolean; readonly startCursor: string };
  }
  const items: Item[] = [];
  for (let cursor = ""; ; ) {
    const list = `${field}, last: ${size}, before: "${cursor}") { nodes { ${fields} } pageInfo { hasPreviousPage startCursor } }`;
    const { nodes, pageInfo } = await ofChain<Part>(list);
    expect(nodes.length).toBeLessThanOrEqual(size);
    items.unshift(...nodes);
    if (!pageInfo.hasPreviousPage) return items;
    cursor = pageInfo.startCursor;
  }
}

/** All pages of a list. */
async function pagesOf(args: string, pageSize: number): Promise<Page[]> {
  const pages: Page[] = [];
  for (let token = ""; ; token = `, after: "${pages.at(-1)?.nextPageToken}"`) {
    const page = `activity(${args}, first: ${pageSize}${token}) { nextPageToken periods: nodes { ${ITEM} } }`;
    pages.push(await ofChain<Page>(page));
    if (pages.at(-1)?.nextPageToken === null) return pages;
  }
}

describe("Chain.activity", () => {
  it.each([
    ["HOUR", 2_160],
    ["WEEK", 1],
    ["DAY", 47],
    ["WEEK", 7],
    ["MONTH", 2],
    ["MONTH", 100],
  ])("lists every %s newest first, also those without a block, in pages of %i", async (interval, pageSize) => {
    const expected = expectedPeriods(METRICS_BLOCKS, interval);
    const pages = await pagesOf(`interval: ${interval}`, pageSize);
    expect(pages.flatMap(({ periods }) => periods)).toEqual(expected);
    expect(pages).toHaveLength(Math.ceil(expected.length / pageSize));
    expect(await backward(`activity(interval: ${interval}`, pageSize, ITEM)).toEqual(expected);
    const count = `activity(interval: ${interval}) { totalCount { count isExact } }`;
    expect(await ofChain(count)).toEqual({ totalCount: { count: String(expected.length), isExact: true } });
  });

  it.each(["TX_COUNT", "AVG_TPS", "CUMULATIVE_TX_COUNT", "CUMULATIVE_CONTRACTS"])(
    "lists the figure %s backward as forward",
    async (metric) => {
      const page = async (args: string) => {
        const { data, errors } = await ask(
          `{ chainMetric(chainId: "${METRICS_CHAIN}", metric: ${metric}, ${args}) { nodes { value timestamp } pageInfo { startCursor } } }`,
        );
        expect(errors).toBeUndefined();
        return (data as { chainMetric: { nodes: object[]; pageInfo: { startCursor: string } } }).chainMetric;
      };
      const all = (await page("first: 2160")).nodes;
      const last = await page("last: 5");
      const before = await page(`last: 7, before: "${last.pageInfo.startCursor}"`);
      expect([...before.nodes, ...last.nodes]).toEqual(all.slice(-12));
    },
  );

  it("divides the incomplete period by the seconds up to the last indexed block", async () => {
    const { periods } = await ofChain<Page>(`activity(interval: MONTH, first: 2) { periods: nodes { ${ITEM} } }`);
    expect(periods.map(({ isComplete }) => isComplete)).toEqual([false, true]);
    const last = METRICS_BLOCKS.at(-1)?.seconds ?? 0;
    const [{ transactions, averageTps, periodStart }] = periods as [ExpectedPeriod];
    expect(averageTps).toBeCloseTo(Number(transactions) / (last - periodStart), 2);
  });

  it("includes periods that start at `from`, and not those that start at `to`", async () => {
    const expected = expectedPeriods(METRICS_BLOCKS, "DAY");
    const starts = expected.map(({ periodStart }) => periodStart);
    for (const [from, to] of [
      [starts[180], starts[100]],
      [Number(starts[180]) + 1, Number(starts[100]) + 1],
      [starts[5], 10 ** 15],
      [0, Number(starts.at(-3))],
      [starts[100], starts[180]],
      [10 ** 15, 10 ** 16],
      [0, 1],
    ] as [number, number][]) {
      const pages = await pagesOf(`interval: DAY, filter: { fromTime: ${from}, toTime: ${to} }`, 64);
      const inside = expected.filter(({ periodStart }) => periodStart >= from && periodStart < to);
      expect(pages.flatMap(({ periods }) => periods)).toEqual(inside);
      const list = `activity(interval: DAY, filter: { fromTime: ${from}, toTime: ${to} }`;
      expect(await backward(list, 64, ITEM)).toEqual(inside);
      expect(await ofChain(`${list}) { totalCount { count } }`)).toEqual({
        totalCount: { count: String(inside.length) },
      });
    }
  });

  it("reads the periods of all chains in one statement, and makes the tokens of their pages without any", async () => {
    const list = `activity(interval: DAY, first: 3) { nextPageToken periods: nodes { blocks } }
      weeks: activity(interval: WEEK, first: 3) { nextPageToken periods: nodes { blocks } } averageTps(first: 2) { nextPageToken }`;
    const statements = await statementsOf(() => askChains(list, METRICS_CHAIN, METRICS_CHAIN));
    expect(statements.map((text) => text.split(" ")[0])).toEqual(["SELECT"]);
    const { data } = await askChains(list, METRICS_CHAIN);
    const pages = Object.values(firstChain<{ nextPageToken: string }>(data));
    expect(new Set(pages.map(({ nextPageToken }) => nextPageToken)).size).toBe(3);
  });

  it("reads only the rows of the page, by index", async () => {
    await database.pool.query("ANALYZE evm_activity");
    const values = [METRICS_CHAIN, ["HOUR"], [0], [8_640_000_000_000], [null], [11]];
    const scans = await scansOf(database.pool, PAGES, values);
    const read = scans.filter(({ table }) => table === "evm_activity");
    expect(read.map(({ kind }) => kind)).not.toContain("Seq Scan");
    expect(read.reduce((sum, { rows, removed }) => sum + rows + removed, 0)).toBeLessThanOrEqual(11 + 2);
  });
});

describe("Chain.last24Hours", () => {
  it("has the figures of the 24 hours up to the last indexed block, whatever second of an hour that is", async () => {
    const fields = `last24Hours { lastBlockTimestamp blocks transactions gasUsed feesSpent newAddresses newContracts
      erc20Transfers averageTps averageGasPerSecond averageGasPrice }`;
    const last = METRICS_BLOCKS.at(-1)?.seconds ?? 0;
    const recent = METRICS_BLOCKS.filter(({ seconds }) => seconds > last - DAY && seconds < last);
    expect(recent.length).toBeGreaterThan(0);
    // A block exactly 24 hours before the last one is too old. At a full hour, no block is read by itself.
    const heads = recent.flatMap(({ seconds }) => [
      seconds + DAY,
      seconds + DAY - 1,
      Math.ceil(seconds / 3_600) * 3_600 + DAY,
    ]);
    for (const head of [last, ...heads]) {
      await database.pool.query("UPDATE chain_heads SET block_timestamp = $1 WHERE chain_id = $2", [
        head,
        METRICS_CHAIN,
      ]);
      const within = METRICS_BLOCKS.filter(({ seconds }) => seconds > head - DAY);
      const found = await ofChain<object>(fields);
      expect(found).toEqual({ ...expectedSpan(METRICS_BLOCKS, within, DAY), lastBlockTimestamp: head });
    }
    await database.pool.query("UPDATE chain_heads SET block_timestamp = $1 WHERE chain_id = $2", [last, METRICS_CHAIN]);
  });
});

describe("Chain.totals", () => {
  it("counts all blocks after the genesis block with their contents, from the rows of months", async () => {
    const sum = (countOf: (block: (typeof METRICS_BLOCKS)[number]) => number) =>
      String(METRICS_BLOCKS.reduce((total, block) => total + countOf(block), 0));
    const statements = await statementsOf(async () => {
      expect(await ofChain<object>("totals { blocks transactions addresses contracts }")).toEqual({
        blocks: String(METRICS_BLOCKS.at(-1)?.number),
        transactions: sum(({ transactions }) => transactions),
        addresses: String(new Set(METRICS_BLOCKS.flatMap(({ addresses }) => addresses)).size),
        contracts: sum(({ contracts }) => contracts),
      });
    });
    expect(statements).toHaveLength(1);
    await database.pool.query("ALTER TABLE evm_blocks RENAME TO gone");
    await ofChain<object>("totals { blocks }").finally(() =>
      database.pool.query("ALTER TABLE gone RENAME TO evm_blocks"),
    );
  });
});

describe("a chain whose activity is not indexed", () => {
  const CASES = [
    [GENESIS_CHAIN, `the activity of chain ${GENESIS_CHAIN} is not indexed yet (WAITING): the node refuses it`],
    [UNKNOWN_CHAIN, `the activity of chain ${UNKNOWN_CHAIN} is not indexed yet: its indexer has not started`],
  ] as const;
  const FIELDS = ["activity(interval: DAY) { nextPageToken }", "averageTps { lastRun }", "totals { blocks }"];

  it.each(CASES)("%s has no figures, and the error has the reason", async (chainId, message) => {
    for (const field of [...FIELDS, "last24Hours { blocks }"]) {
      const { data, errors } = await askChains(`chainId found: ${field}`, METRICS_CHAIN, chainId);
      expect(data?.["_entities"]).toEqual([expect.anything(), { chainId, found: null }]);
      expect(errors).toMatchObject([{ message, extensions: { code: "UNAVAILABLE" } }]);
    }
  });

  it("is no entity if it is not configured", async () => {
    expect((await askChains("chainId", "1")).data).toEqual({ _entities: [null] });
    const { errors } = await ask('{ averageTps(chainId: "1") { lastRun } }');
    expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
  });
});

it("a token of a chain that is not indexed has no holders and no supply, and the error has the reason", async () => {
  const message = `chain ${GENESIS_CHAIN} is not indexed yet (WAITING): the node refuses it`;
  const key = `chainId: "${GENESIS_CHAIN}", address: "0x${"ab".repeat(20)}"`;
  const fields = [
    "holders { nextPageToken }",
    "holders(at: { block: 0 }) { nextPageToken }",
    'holdersAbove(threshold: "0") { nextPageToken }',
    "holderCount",
    "totalSupply(at: { time: 99999999999 })",
    "isSupplyApproximate",
  ];
  for (const [type, field] of [
    ...fields.map((field) => ["Erc20Token", field]),
    ["NftCollection", fields[0]],
    ["NftCollection", "totalSupply"],
  ]) {
    const { data, errors } = await ask(
      `{ _entities(representations: [{ __typename: "${type}", ${key} }]) { ... on ${type} { found: ${field} } } }`,
    );
    expect(data).toEqual({ _entities: [{ found: null }] });
    expect(errors).toMatchObject([{ message, extensions: { code: "UNAVAILABLE" } }]);
  }
});

describe("a search", () => {
  it.each([-1, 0, 101])(
    "of %d results is refused like a list of this size, by the name of the argument",
    async (first) => {
      const { data, errors } = await ask(`{ search(text: "7", first: ${first}) { hasMore } }`);
      expect(data).toEqual({ search: null });
      expect(errors).toMatchObject([
        { message: `first must be from 1 to 100, got ${first}`, extensions: { code: "INVALID_PARAMETER" } },
      ]);
    },
  );
});
