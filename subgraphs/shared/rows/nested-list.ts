import type pg from "pg";
import { type Numbered, type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { createDataLoader } from "../../../core/database/data-loader.ts";
import { prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { failureIfBehind, type Heads, type PageTokens, type Position, pageOf } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";

/** Limit for the sum of the page sizes of all parents at one level of a request. */
const MAX_ROWS = 10_000;

/** A page of items. The token is null on the last page. */
export interface Page<Item> {
  readonly items: Item[];
  readonly nextPageToken: string | null;
}

/**
 * Reads a page of the list of one parent, given by its key. The pages of all parents of a chain or network in one tick are one
 * statement. Throws `INVALID_PARAMETER` for an invalid page token, or if the sizes of these pages add up to more than 10,000.
 */
export type NestedList<Item> = (
  parent: readonly string[],
  page: { readonly pageToken?: string | null; readonly size: number },
) => Promise<Page<Item>>;

export interface NestedListOptions<Row> {
  /** Name of the prepared statement. Page tokens and error messages use it too. */
  readonly name: string;
  /**
   * SQL type of each column of the parent's key. The first is the chain id or network id, by which the tables are partitioned:
   * `select` refers to it as `$1`, and to the others as `k.name`.
   */
  readonly key: Readonly<Record<string, string>>;
  /** SQL type of each column of the position. `select` also refers to them as `k.name`. */
  readonly position: Readonly<Record<string, string>>;
  /** Position before the first item. A function is called for each first page. */
  readonly start: Position | (() => Position);
  /** SELECT of the head of the chain that the items are from, with `$1` and `k` as in `select`. */
  readonly head: string;
  /** SELECT of the items of parent `k` after the position, in order, without LIMIT. */
  readonly select: string;
  readonly positionOf: (row: Row) => Position;
}

interface PageRequest {
  readonly parent: readonly string[];
  readonly position: Position;
  readonly size: number;
  /** Heads of the page before; null for the first page. */
  readonly seen: Heads | null;
}

/**
 * Returns a function that creates the `NestedList` of one request. `complete` turns the rows into items; it runs once for the
 * rows of all pages of a statement.
 */
export function createNestedList<Row extends pg.QueryResultRow, Item = Row>(
  pool: pg.Pool,
  tokens: PageTokens,
  options: NestedListOptions<Row>,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (work: Work) => NestedList<Item> {
  const { name, start, positionOf } = options;
  const startOf = typeof start === "function" ? start : () => start;
  const parameters: PartitionParameters<PageRequest> = {
    partitionOf: ({ parent: [partition = ""] }) => partition,
    valuesOf: parametersOf,
  };
  const rowsOf = readRowsOfKeys(prepared<Row & WithHead>(pool, name, statementOf(options)), parameters);
  const headsOf = readRowsOfKeys(prepared<WithHead>(pool, `${name}-heads`, headsStatementOf(options)), parameters);
  /** For each page: the failure that the database is behind the page before, or null. */
  const failuresOf = async (requests: readonly PageRequest[], rows: readonly WithHead[][], work: Work) => {
    // A page that is not the first has rows, unless the database is behind.
    const empty = requests.filter(({ seen }, at) => seen !== null && rows[at]?.length === 0);
    const heads = new Map((empty.length === 0 ? [] : await headsOf(empty, work)).map(([row], at) => [empty[at], row]));
    return requests.map((request, at) => {
      const { listHead } = rows[at]?.[0] ?? heads.get(request) ?? { listHead: null };
      return request.seen && failureIfBehind(request.seen, [listHead ?? "-1"]);
    });
  };
  const read = async (requests: readonly PageRequest[], work: Work): Promise<(Page<Item> | Error)[]> => {
    if (requests.reduce((sum, { size }) => sum + size, 0) > MAX_ROWS)
      throw new Failure(
        "INVALID_PARAMETER",
        `pageSize: the sizes of all pages of ${name} may add up to at most ${MAX_ROWS}, got more`,
      );
    const rows = await rowsOf(requests, work);
    const failures = await failuresOf(requests, rows, work);
    const pages = requests.map(({ parent, size }, index) =>
      pageOf(rows[index] ?? [], size, (last) =>
        tokens.sign(name, parent, { position: positionOf(last), heads: [last.listHead ?? "-1"] }),
      ),
    );
    const items = await complete(
      pages.flatMap((page) => page.items),
      work,
    );
    let from = 0;
    return pages.map((page, at) => {
      const part = items.slice(from, from + page.items.length);
      from += part.length;
      return failures[at] ?? { items: part, nextPageToken: page.nextPageToken };
    });
  };
  return (work) => {
    const loader = createDataLoader(name, (requests: readonly PageRequest[]) => read(requests, work), {
      cacheKeyFn: JSON.stringify,
    });
    return async (parent, { pageToken, size }) => {
      const before = tokens.read(name, parent, pageToken);
      return loader.load({ parent, position: before?.position ?? startOf(), size, seen: before?.heads ?? null });
    };
  };
}

/** A row with the head of its chain. */
interface WithHead extends Numbered {
  /** Null if nothing of the chain is indexed. */
  readonly listHead: string | null;
}

type StatementOptions = Pick<NestedListOptions<never>, "key" | "position" | "select" | "head">;

function statementOf(options: StatementOptions): string {
  return `SELECT k.request, (${options.head}) AS "listHead", item.* FROM ${requestsOf(options)},
    LATERAL (${options.select} LIMIT k.size + 1) item`;
}

/** Statement of the heads alone. */
function headsStatementOf(options: StatementOptions): string {
  return `SELECT k.request, (${options.head}) AS "listHead" FROM ${requestsOf(options)}`;
}

function requestsOf({ key, position }: StatementOptions): string {
  const types = { ...withoutPartition(key), ...position, size: "int" };
  const lists = Object.values(types).map((type, index) => `$${index + 2}::${type}[]`);
  return `unnest(${lists.join(", ")}) WITH ORDINALITY AS k(${Object.keys(types).join(", ")}, request)`;
}

/** The columns of a parent's key that are lists. */
export function withoutPartition(key: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(key).slice(1));
}

/** One list for each column of `k`. */
function parametersOf(requests: readonly PageRequest[]): unknown[][] {
  const rows = requests.map(({ parent: [, ...others], position, size }) => [...others, ...position, size]);
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}
