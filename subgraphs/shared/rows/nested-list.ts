import type pg from "pg";
import { type Numbered, type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { createDataLoader } from "../../../core/database/data-loader.ts";
import { prepared } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page, TotalCount } from "../../../core/graph/connection-page.ts";
import { failureIfBehind, type Heads, type PageTokens, type Position, pageOf } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { endsOf, type Keyset, keysetOf, type Order } from "./keyset.ts";
import { COUNT_LIMIT, countStatement, directedName, inBothDirections, totalOf } from "./list-reader.ts";

/** Limit for the sum of the page sizes of all parents at one level of a request. */
const MAX_ROWS = 10_000;

/**
 * Reads a page of the list of one parent, given by its key. The pages of all parents of a chain or network in one tick are one
 * statement for each direction, and their counts are another. Throws `INVALID_PARAMETER` for an invalid cursor, or if the sizes of these
 * pages add up to more than 10,000.
 */
export type NestedList<Item> = (parent: readonly string[], page: PageRange) => Promise<Page<Item>>;

/** SELECT of the items of parents. */
export interface NestedSelect {
  /**
   * SQL type of each column of the parent's key. The first is the chain id or network id, by which the tables are partitioned:
   * `select` refers to it as `$1`, and to the others as `k.name`.
   */
  readonly key: Readonly<Record<string, string>>;
  readonly order: Order;
  /** SQL types of values that all pages of a list have in common, such as a time. They are part of its positions, before the columns of the order. */
  readonly kept?: Readonly<Record<string, string>>;
  /** SELECT of the items `t` of parent `k` that follow the position, in order, without LIMIT. */
  readonly select: (keyset: Keyset) => string;
  /** SELECT of the same rows with fewer columns, for the count. Default: `select`. */
  readonly selectCounted?: (keyset: Keyset) => string;
}

export interface NestedListOptions<Row> extends NestedSelect {
  /** Name of the prepared statement. Cursors and error messages use it too. */
  readonly name: string;
  /** Returns the kept values of a list that begins. */
  readonly keptValues?: () => Position;
  /** SELECT of the head of the chain that the items are from, with `$1` and `k` as in `select`. */
  readonly head: string;
  readonly positionOf: (row: Row) => Position;
}

interface PageRequest {
  readonly parent: readonly string[];
  readonly position: Position;
  readonly size: number;
  /** Heads of the page with the cursor; null without a cursor. */
  readonly seen: Heads | null;
}

/**
 * Returns a function that creates the `NestedList` of one request. `complete` turns the rows into items; it runs once for the
 * rows of all pages of a statement.
 */
export function createNestedList<Row extends pg.QueryResultRow, Item = Row>(
  pool: StatementPool,
  tokens: PageTokens,
  options: NestedListOptions<Row>,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (work: Work) => NestedList<Item> {
  const { name, positionOf, keptValues = () => [] } = options;
  const ends = endsOf(options.order);
  const readPages = createReadPages<Row>(pool, options);
  const countLists = createCountLists(pool, options);
  return (work) => {
    const counts = createDataLoader(`${name}-count`, (parents: readonly PageRequest[]) => countLists(parents, work), {
      cacheKeyFn: JSON.stringify,
    });
    const count = (parent: readonly string[]) =>
      counts.load({ parent, position: [...keptValues(), ...ends.first], size: COUNT_LIMIT - 1, seen: null });
    const read = async (requests: readonly PageRequest[], isBackward: boolean): Promise<(Page<Item> | Error)[]> => {
      const { rows, failures } = await readPages(isBackward)(requests, work);
      const pages = requests.map(({ parent, size, seen }, index) =>
        pageOf(rows[index] ?? [], {
          size,
          isBackward,
          isContinued: seen !== null,
          cursorOf: (row) => tokens.sign(name, parent, { position: positionOf(row), heads: [row.listHead ?? "-1"] }),
          count: () => count(parent),
        }),
      );
      const completed = await completePages(pages, (all) => complete(all, work));
      return completed.map((page, at) => failures[at] ?? page);
    };
    const loaders = inBothDirections((isBackward) =>
      createDataLoader(name, (requests: readonly PageRequest[]) => read(requests, isBackward), {
        cacheKeyFn: JSON.stringify,
      }),
    );
    return async (parent, { size, cursor, isBackward = false }) => {
      const start = tokens.read(name, parent, cursor);
      const position = start?.position ?? [...keptValues(), ...(isBackward ? ends.last : ends.first)];
      return loaders(isBackward).load({ parent, position, size, seen: start?.heads ?? null });
    };
  };
}

/** Throws `INVALID_PARAMETER` if the sizes of the pages of a list that are read together add up to more than 10,000. */
export function requireFewRows(name: string, pages: readonly Pick<PageRange, "size">[]): void {
  if (pages.reduce((sum, { size }) => sum + size, 0) > MAX_ROWS)
    throw new Failure(
      "INVALID_PARAMETER",
      `the sizes of all pages of ${name} may add up to at most ${MAX_ROWS}, got more`,
    );
}

/** Turns the rows of pages into items: `complete` runs once, and returns one item for each row, in their order. */
export async function completePages<Row, Item>(
  pages: readonly Page<Row>[],
  complete: (rows: Row[]) => Promise<Item[]>,
): Promise<Page<Item>[]> {
  const items = await complete(pages.flatMap(({ nodes }) => nodes));
  let from = 0;
  return pages.map((page) => {
    from += page.nodes.length;
    return page.withNodes(items.slice(from - page.nodes.length, from));
  });
}

/** A row with the head of its chain. */
interface WithHead extends Numbered {
  /** Null if nothing of the chain is indexed. */
  readonly listHead: string | null;
}

/** The rows of each page, and the failure that the database is behind the page of its cursor, or null. */
interface ReadRows<Row> {
  readonly rows: (Row & WithHead)[][];
  readonly failures: (Failure | null)[];
}

type ReadPages<Row> = (requests: readonly PageRequest[], work: Work) => Promise<ReadRows<Row>>;

function createReadPages<Row extends pg.QueryResultRow>(
  pool: StatementPool,
  options: NestedListOptions<Row>,
): (isBackward: boolean) => ReadPages<Row> {
  const { name } = options;
  const headsOf = readRowsOfKeys(prepared<WithHead>(pool, `${name}-heads`, headsStatementOf(options)), PARAMETERS);
  /** For each page: the failure that the database is behind the page of its cursor, or null. */
  const failuresOf = async (requests: readonly PageRequest[], rows: readonly WithHead[][], work: Work) => {
    // A page with a cursor has rows, unless the database is behind, or the cursor is at an end of the list.
    const empty = requests.filter(({ seen }, at) => seen !== null && rows[at]?.length === 0);
    const heads = new Map((empty.length === 0 ? [] : await headsOf(empty, work)).map(([row], at) => [empty[at], row]));
    return requests.map((request, at) => {
      const { listHead } = rows[at]?.[0] ?? heads.get(request) ?? { listHead: null };
      return request.seen && failureIfBehind(request.seen, [listHead ?? "-1"]);
    });
  };
  return inBothDirections((isBackward) => {
    const text = statementOf(options, isBackward);
    const rowsOf = readRowsOfKeys(prepared<Row & WithHead>(pool, directedName(name, isBackward), text), PARAMETERS);
    return async (requests, work) => {
      requireFewRows(name, requests);
      const rows = await rowsOf(requests, work);
      return { rows, failures: await failuresOf(requests, rows, work) };
    };
  });
}

/** Counts the lists of parents, in one statement for each chain or network. */
function createCountLists(pool: StatementPool, options: NestedListOptions<never>) {
  let rowsOf: ReturnType<typeof readRowsOfKeys<PageRequest, Numbered & { readonly count: number }>> | undefined;
  return async (parents: readonly PageRequest[], work: Work): Promise<TotalCount[]> => {
    rowsOf ??= readRowsOfKeys(prepared(pool, `${options.name}-count`, countsStatementOf(options)), PARAMETERS);
    const rows = await rowsOf(parents, work);
    return rows.map(([row]) => totalOf(row?.count ?? 0));
  };
}

type StatementOptions = NestedSelect & Pick<NestedListOptions<never>, "head">;

/** Statement of the pages of some parents in one direction. */
export function statementOf(options: StatementOptions, isBackward: boolean): string {
  return `SELECT k.request, (${options.head}) AS "listHead", item.* FROM ${requestsOf(options)},
    LATERAL (${nestedSelect(options, isBackward)} LIMIT k.size + 1) item`;
}

/** Statement of the heads alone. */
function headsStatementOf(options: StatementOptions): string {
  return `SELECT k.request, (${options.head}) AS "listHead" FROM ${requestsOf(options)}`;
}

/** Statement of the counts of the lists of some parents. */
export function countsStatementOf(options: NestedSelect): string {
  const { select, selectCounted = select } = options;
  const items = nestedSelect({ ...options, select: selectCounted }, false);
  return `SELECT k.request, counted.count FROM ${requestsOf(options)},
    LATERAL (${countStatement(`${items} LIMIT k.size + 1`)}) counted`;
}

/** SELECT of the items of parent `k` in one direction. */
export function nestedSelect({ order, select }: Pick<NestedSelect, "order" | "select">, isBackward: boolean): string {
  const values = order.map(({ column }) => `k.${column}`);
  return select(keysetOf(order, values, isBackward));
}

function requestsOf({ key, ...options }: NestedSelect): string {
  const types = { ...withoutPartition(key), ...positionTypes(options), size: "int" };
  const lists = Object.values(types).map((type, index) => `$${index + 2}::${type}[]`);
  return `unnest(${lists.join(", ")}) WITH ORDINALITY AS k(${Object.keys(types).join(", ")}, request)`;
}

/** SQL types of the columns of a position. */
export function positionTypes({ kept, order }: Pick<NestedSelect, "kept" | "order">): Readonly<Record<string, string>> {
  return { ...kept, ...Object.fromEntries(order.map(({ column, type }) => [column, type])) };
}

/** The columns of a parent's key that are lists. */
export function withoutPartition(key: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(key).slice(1));
}

/** One list for each column of `k`. */
const PARAMETERS: PartitionParameters<PageRequest> = {
  partitionOf: ({ parent: [partition = ""] }) => partition,
  valuesOf(requests) {
    const rows = requests.map(({ parent: [, ...others], position, size }) => [...others, ...position, size]);
    return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
  },
};
