import DataLoader from "dataloader";
import type pg from "pg";
import { prepared } from "../../core/database.ts";
import { Failure } from "../../core/errors.ts";
import { type PageTokens, type Position, pageOf } from "../../core/page.ts";

/** Most rows that one level of nesting may ask for in a request. */
const MOST_ROWS = 10_000;

/** A page of items and the token that leads on. */
export interface Page<Item> {
  readonly items: Item[];
  readonly nextPageToken: string | null;
}

/** The list below one parent, which its key names. Lists below the parents of a page cost one statement together. */
export type NestedList<Item> = (
  parent: readonly string[],
  page: { readonly pageToken?: string | null; readonly size: number },
) => Promise<Page<Item>>;

export interface NestedListOptions<Row> {
  readonly name: string;
  /** Names and SQL types of the parent's key, then of the position; `select` reads them as `k.name`. */
  readonly key: Readonly<Record<string, string>>;
  readonly position: Readonly<Record<string, string>>;
  /** Position before the first item. */
  readonly start: Position;
  /** The items below `k` that follow the position, in order. */
  readonly select: string;
  readonly positionOf: (row: Row) => Position;
}

interface Ask {
  readonly parent: readonly string[];
  readonly position: Position;
  readonly size: number;
}

/** Makes the list of a request. `complete` runs once for all rows of a batch. */
export function createNestedList<Row extends pg.QueryResultRow, Item = Row>(
  pool: pg.Pool,
  tokens: PageTokens,
  options: NestedListOptions<Row>,
  complete: (rows: Row[]) => Promise<Item[]>,
): () => NestedList<Item> {
  const { name, start, positionOf } = options;
  const rowsOf = prepared<Row & { ask: string }>(pool, name, statementOf(options));
  const load = async (asks: readonly Ask[]): Promise<Page<Item>[]> => {
    if (asks.reduce((sum, ask) => sum + ask.size, 0) > MOST_ROWS)
      throw new Failure("INVALID_PARAMETER", `pageSize: ${name} may ask for ${MOST_ROWS} items in all, got more`);
    const pages = pagesOf(asks, await rowsOf(parametersOf(asks)), (ask, last) =>
      tokens.sign(name, ask.parent, positionOf(last)),
    );
    const items = await complete(pages.flatMap((page) => page.items));
    let from = 0;
    return pages.map((page) => {
      const part = items.slice(from, from + page.items.length);
      from += part.length;
      return { items: part, nextPageToken: page.nextPageToken };
    });
  };
  return () => {
    let loader: DataLoader<Ask, Page<Item>, string> | undefined;
    return async (parent, { pageToken, size }) => {
      const position = tokens.read(name, parent, pageToken) ?? start;
      loader ??= new DataLoader(load, { cacheKeyFn: JSON.stringify });
      return loader.load({ parent, position, size });
    };
  };
}

function statementOf({ key, position, select }: Pick<NestedListOptions<never>, "key" | "position" | "select">): string {
  const types = { ...key, ...position, size: "int" };
  const lists = Object.values(types).map((type, index) => `$${index + 1}::${type}[]`);
  return `SELECT k.ask, item.* FROM unnest(${lists.join(", ")}) WITH ORDINALITY AS k(${Object.keys(types).join(", ")}, ask),
    LATERAL (${select} LIMIT k.size + 1) item`;
}

/** One array per column of `k`. */
function parametersOf(asks: readonly Ask[]): unknown[][] {
  const rows = asks.map((ask) => [...ask.parent, ...ask.position, ask.size]);
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}

function pagesOf<Row extends { ask: string }>(
  asks: readonly Ask[],
  rows: readonly Row[],
  tokenAfter: (ask: Ask, last: Row) => string,
): Page<Row>[] {
  const byAsk = asks.map((): Row[] => []);
  for (const row of rows) byAsk[Number(row.ask) - 1]?.push(row);
  return asks.map((ask, index) => pageOf(byAsk[index] ?? [], ask.size, (last) => tokenAfter(ask, last)));
}
