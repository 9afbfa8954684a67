import type pg from "pg";
import { type Numbered, type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { createDataLoader } from "../../../core/database/data-loader.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page, TotalCount } from "../../../core/graph/connection-page.ts";
import { failureIfBehind, type PageTokens, type Position, pageOf } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { endsOf } from "../../shared/rows/keyset.ts";
import { COUNT_LIMIT, directedName, inBothDirections, totalOf } from "../../shared/rows/list-reader.ts";
import { completePages, countsStatementOf, requireFewRows, statementOf } from "../../shared/rows/nested-list.ts";
import { createHeadNumbers } from "../chains/heads.ts";
import { ALL_BLOCKS } from "./range.ts";
import type { ChainSelect } from "./ranged-select.ts";
import { createUnindexedFailures, type ListedChains } from "./unindexed-chains.ts";

/** A row of a chain with the time of its block. */
export interface ChainRow {
  readonly chainId: string;
  readonly blockNumber: string;
  readonly blockTimestamp: string;
}

/** A list over several chains. */
export interface ChainsParent extends ListedChains {
  /** The parts of the key between the chain and the range. */
  readonly key: readonly string[];
  /** Range of times in seconds: start inclusive, end exclusive. */
  readonly times: readonly [from: string, to: string];
}

interface ChainsListOptions<Row> extends ChainSelect {
  /** Name of the prepared statement. Cursors use it too. */
  readonly name: string;
  /** Position of a row on its chain. */
  readonly positionOf: (row: Row) => Position;
}

/**
 * Reads a page of a list over several chains, newest first: by the time of the block, then by chain id and by place on the chain. The pages
 * of all parents in one tick are one statement for each chain, sent together over one connection, and one for the heads of the chains. Chains
 * without an indexed block are left out. Throws `UNAVAILABLE` if no other chain is left, or if the filter names such a chain, and
 * `INVALID_PARAMETER` for an invalid cursor, or if the sizes of these pages add up to more than 10,000.
 */
export type ChainsList<Item> = (parent: ChainsParent, page: PageRange) => Promise<Page<Item>>;

interface Request {
  readonly parent: ChainsParent;
  readonly page: Pick<PageRange, "size" | "isBackward">;
  readonly start: { readonly position: Position; readonly heads: readonly string[] } | null;
}

/** The part of a request on one chain. */
interface ChainRequest {
  readonly chainId: string;
  readonly values: readonly (string | number)[];
}

const PARAMETERS: PartitionParameters<ChainRequest> = {
  partitionOf: ({ chainId }) => chainId,
  valuesOf: (requests) => (requests[0]?.values ?? []).map((_, column) => requests.map(({ values }) => values[column])),
};

/**
 * Returns a function that creates the `ChainsList` of one request. The SELECT is a `rangedSelect`. `complete` turns the rows of all pages into items.
 */
export function createChainsList<Row extends pg.QueryResultRow & ChainRow, Item = Row>(
  { pool }: Pick<Database, "pool">,
  tokens: PageTokens,
  options: ChainsListOptions<Row>,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (work: Work) => ChainsList<Item> {
  const { name } = options;
  const readHeads = createHeadNumbers({ pool });
  const unindexedFailures = createUnindexedFailures({ pool });
  const readRows = inBothDirections((isBackward) =>
    readRowsOfKeys(
      prepared<Row & Numbered>(pool, directedName(name, isBackward), statementOf(options, isBackward)),
      PARAMETERS,
    ),
  );
  const readCounts = inBothDirections(() =>
    readRowsOfKeys(
      prepared<Numbered & { count: number }>(pool, `${name}-count`, countsStatementOf(options)),
      PARAMETERS,
    ),
  );
  const { first, last } = endsOf(options.order);

  /** The rows of each request, in the direction of its page. */
  const rowsOf = async (requests: readonly Request[], isBackward: boolean, work: Work): Promise<Row[][]> => {
    const found = await readOfChains(readRows(isBackward), requests, isBackward ? last : first, work);
    const order = newestFirst(options.positionOf);
    return found.map((rows, at) =>
      rows
        .sort((one, other) => (isBackward ? order(other, one) : order(one, other)))
        .slice(0, (requests[at]?.page.size ?? 0) + 1),
    );
  };
  const count = async (parents: readonly ChainsParent[], work: Work): Promise<TotalCount[]> => {
    const requests = parents.map((parent) => ({ parent, page: { size: COUNT_LIMIT - 1 }, start: null }));
    const found = await readOfChains(readCounts(false), requests, first, work);
    return found.map((counts) => totalOf(counts.reduce((sum, { count }) => sum + count, 0)));
  };

  return (work) => {
    const counts = createDataLoader(`${name}-count`, (parents: readonly ChainsParent[]) => count(parents, work), {
      cacheKeyFn: JSON.stringify,
    });
    const read = async (requests: readonly Request[], isBackward: boolean): Promise<(Page<Item> | Error)[]> => {
      requireFewRows(
        name,
        requests.map(({ page }) => page),
      );
      const chainIds = [...new Set(requests.flatMap(({ parent }) => parent.chainIds))];
      // Read before the rows, so that a page has all rows up to these blocks.
      const numbersOf = await readHeads(chainIds, work);
      const headsOf = ({ parent }: Request) => numbersOf(parent.chainIds);
      const unindexed = await unindexedFailures(
        requests.map(({ parent }) => parent),
        numbersOf,
        work,
      );
      const rows = await rowsOf(requests, isBackward, work);
      const pages = requests.map((request, at) =>
        pageOf(rows[at] ?? [], {
          size: request.page.size,
          isBackward,
          isContinued: request.start !== null,
          cursorOf: (row) =>
            tokens.sign(name, [request.parent], { position: wholePosition(options, row), heads: headsOf(request) }),
          count: () => counts.load(request.parent),
        }),
      );
      const failures = requests.map(
        (request) => request.start && failureIfBehind(request.start.heads, headsOf(request)),
      );
      const completed = await completePages(pages, (all) => complete(all, work));
      return completed.map((page, at) => unindexed[at] ?? failures[at] ?? page);
    };
    const loaders = inBothDirections((isBackward) =>
      createDataLoader(name, (requests: readonly Request[]) => read(requests, isBackward), {
        cacheKeyFn: JSON.stringify,
      }),
    );
    return async (parent, { size, cursor, isBackward = false }) => {
      const start = tokens.read(name, [parent], cursor);
      return loaders(isBackward).load({ parent, page: { size, isBackward }, start });
    };
  };
}

/** Reads the parts of all requests together. Returns what was found on the chains of each request. */
async function readOfChains<Row>(
  read: (parts: readonly ChainRequest[], work: Work) => Promise<Row[][]>,
  requests: readonly Request[],
  end: Position,
  work: Work,
): Promise<Row[][]> {
  const parts = requests.flatMap((request, at) =>
    request.parent.chainIds.map((chainId) => ({ at, part: chainRequest(request, chainId, end) })),
  );
  const found = await read(
    parts.map(({ part }) => part),
    work,
  );
  const rows = requests.map((): Row[] => []);
  parts.forEach(({ at }, index) => {
    rows[at]?.push(...(found[index] ?? []));
  });
  return rows;
}

const wholePosition = <Row extends ChainRow>({ positionOf }: ChainsListOptions<Row>, row: Row): Position => [
  row.blockTimestamp,
  row.chainId,
  ...positionOf(row),
];

/** Compares rows of several chains. */
function newestFirst<Row extends ChainRow>(positionOf: (row: Row) => Position): (one: Row, other: Row) => number {
  return (one, other) => {
    const [a, b] = [one, other].map((row) => [row.blockTimestamp, row.chainId, ...positionOf(row)].map(Number));
    const at = (a ?? []).findIndex((value, index) => value !== b?.[index]);
    return at < 0 ? 0 : (b?.[at] ?? 0) - (a?.[at] ?? 0);
  };
}

/**
 * The part of a request on one chain. The chain of the position continues there. Of the other chains, the rows follow the position whose block
 * has an earlier time, or the same time if the chain follows in the order; backward, a later time. `end` is the end of each chain's list.
 */
function chainRequest({ parent, page, start }: Request, chainId: string, end: Position): ChainRequest {
  const [fromTime, toTime] = parent.times;
  const request = (position: Position, from: string, to: string): ChainRequest => ({
    chainId,
    values: [...parent.key, ...ALL_BLOCKS, from, to, ...position, page.size],
  });
  if (start === null) return request(end, fromTime, toTime);
  const [time = "", chain = "", ...place] = start.position;
  if (chain === chainId) return request(place, fromTime, toTime);
  const limit = BigInt(time) + (BigInt(chainId) < BigInt(chain) ? 1n : 0n);
  return page.isBackward
    ? request(end, later(fromTime, limit), toTime)
    : request(end, fromTime, earlier(toTime, limit));
}

const later = (time: string, other: bigint): string => (BigInt(time) > other ? time : String(other));
const earlier = (time: string, other: bigint): string => (BigInt(time) < other ? time : String(other));
