import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure, quoted } from "../errors/errors.ts";
import type { PageRange } from "./connection-args.ts";
import { Page, type PageContext, type TotalCount } from "./connection-page.ts";

/** Time in which a cursor or a page token is valid. */
export const PAGE_TOKEN_SECONDS = 86_400;
const MAC_BYTES = 16;

/** Position in a list: the values of an item in the columns of the order. A page begins after or ends before a position. */
export type Position = readonly string[];

/**
 * How far the chains of a list are indexed: a number for each chain, which grows with every block that is indexed. Empty for a list that
 * does not come from chains.
 */
export type Heads = readonly string[];

/** Where a page starts, and how far the chains were indexed when the page with this position was read. */
export interface PageStart {
  readonly position: Position;
  readonly heads: Heads;
}

/** Signs and reads cursors, which are also the page tokens of REST. Each is valid for one list with the same parameters, for 24 hours. */
export interface PageTokens {
  /** Returns the cursor of a position. */
  sign(list: string, parameters: readonly unknown[], start: PageStart): string;
  /**
   * Returns the position of a cursor; null without a cursor. Throws `INVALID_PARAMETER` if the cursor is invalid or expired. Compare its
   * heads by `requireHeads`.
   */
  read(list: string, parameters: readonly unknown[], token: string | null | undefined): PageStart | null;
}

/** `nowSeconds` is the clock for the expiry of tokens. */
export function createPageTokens(secret: Buffer, nowSeconds: () => number): PageTokens {
  const macOf = (payload: string, list: string, parameters: readonly unknown[]) =>
    createHmac("sha256", secret)
      .update(JSON.stringify([payload, list, parameters]))
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    sign(list, parameters, { position, heads }) {
      const payload = [nowSeconds().toString(36), heads.join(), ...position].join(".");
      return Buffer.concat([macOf(payload, list, parameters), Buffer.from(payload)]).toString("base64url");
    },
    read(list, parameters, token) {
      if (!token) return null;
      const bytes = Buffer.from(token, "base64url");
      const payload = bytes.subarray(MAC_BYTES).toString();
      const mac = bytes.subarray(0, MAC_BYTES);
      const isCanonical = bytes.toString("base64url") === token;
      if (!isCanonical || mac.length !== MAC_BYTES || !timingSafeEqual(mac, macOf(payload, list, parameters)))
        throw invalidCursor(token);
      const [signedAt = "", heads = "", ...position] = payload.split(".");
      if (nowSeconds() - Number.parseInt(signedAt, 36) > PAGE_TOKEN_SECONDS) throw expiredCursor();
      return { position, heads: heads === "" ? [] : heads.split(",") };
    },
  };
}

/** The failure for a cursor or a page token that is not of this list with these parameters. */
export function invalidCursor(cursor: string): Failure {
  return new Failure(
    "INVALID_PARAMETER",
    `the page token or cursor must be from a page with the same parameters, got ${quoted(cursor)}`,
  );
}

/** The failure for a cursor or a page token that is too old. */
export function expiredCursor(): Failure {
  return new Failure(
    "INVALID_PARAMETER",
    "the page token or cursor has expired after 24 hours: start again from the first page",
  );
}

/**
 * Returns a failure if fewer blocks are indexed here than where the page before was read, for example in a replica that is behind: items
 * between the pages would be missing. Otherwise null. `seen` are the heads of the page before, `known` those of this page, of the same
 * chains.
 */
export function failureIfBehind(seen: Heads, known: Heads): Failure | null {
  if (seen.every((head, at) => BigInt(head) <= BigInt(known[at] ?? -1))) return null;
  return new Failure(
    "UNAVAILABLE",
    "the page token or cursor is from a page that was read when more blocks were indexed than are indexed here: try again later, or start again from the first page",
  );
}

/** Throws the failure that `failureIfBehind` returns. */
export function requireHeads(seen: Heads, known: Heads): void {
  const failure = failureIfBehind(seen, known);
  if (failure) throw failure;
}

/** Rows of a list, and how far its chains are indexed. */
export interface ListRows<Row> {
  readonly rows: Row[];
  /** The heads. Sends a statement only if there are no rows. */
  readonly heads: () => Heads | Promise<Heads>;
}

/** What a statement reads for a page. */
export interface PageFrom {
  /** The position that the rows follow, in the direction of the page. */
  readonly position: Position;
  /** True to read the rows before the position, nearest first. */
  readonly isBackward: boolean;
  /** Maximum number of rows: one more than the size of the page. */
  readonly limit: number;
}

/** Positions before the first and after the last item of a list. */
export interface Ends {
  readonly first: Position;
  readonly last: Position;
}

/** A request for a page of a list. */
export interface ListPage<Row> {
  /** Name of the list, to which cursors belong. */
  readonly list: string;
  /** Parameters of the list, to which cursors belong. */
  readonly parameters: readonly unknown[];
  readonly page: PageRange;
  readonly ends: Ends;
  /** Reads the rows that follow a position, in the direction of the page. */
  read(from: PageFrom): Promise<ListRows<Row>>;
  readonly positionOf: (row: Row) => Position;
  /** Counts the items of the whole list. */
  readonly count: () => Promise<TotalCount>;
  /** How many of the rows fit on the page: at least one. Default: as many as its size. */
  readonly countFitting?: (rows: readonly Row[]) => number;
}

/**
 * Reads a page of a list. Throws `INVALID_PARAMETER` for an invalid cursor, and `UNAVAILABLE` like `requireHeads`.
 */
export async function readListPage<Row>(
  tokens: PageTokens,
  { list, parameters, page, ends, read, positionOf, count, countFitting }: ListPage<Row>,
): Promise<Page<Row>> {
  const { size, cursor, isBackward = false } = page;
  const start = tokens.read(list, parameters, cursor);
  const position = start?.position ?? (isBackward ? ends.last : ends.first);
  const found = await read({ position, isBackward, limit: size + 1 });
  const { rows } = found;
  if (start) requireHeads(start.heads, await found.heads());
  const heads = rows.length === 0 ? [] : await found.heads();
  return pageOf(rows, {
    size: Math.min(size, countFitting?.(rows) ?? size),
    isBackward,
    isContinued: start !== null,
    cursorOf: (row) => tokens.sign(list, parameters, { position: positionOf(row), heads }),
    count,
  });
}

/** How rows become a page. */
export interface PageOptions<Row> {
  /** How many of the rows are on the page. */
  readonly size: number;
  readonly isBackward: boolean;
  /** True if the page was asked for with a cursor. */
  readonly isContinued: boolean;
  /** True if more items follow in the direction of the page. Default: there are more rows than its size. */
  readonly hasMore?: boolean;
  readonly cursorOf: (row: Row) => string;
  readonly count: () => Promise<TotalCount>;
}

/** Makes a page of rows that were read with a limit of one more than its size, nearest to the position first. */
export function pageOf<Row>(rows: Row[], options: PageOptions<Row>): Page<Row> {
  const { items, context } = partOf(rows, options);
  return new Page(items, context);
}

/** The items of the page that `pageOf` makes, in the order of the list, and what it knows besides. */
export function partOf<Row>(
  rows: Row[],
  { size, isBackward, isContinued, hasMore = rows.length > size, cursorOf, count }: PageOptions<Row>,
): { readonly items: Row[]; readonly context: PageContext } {
  const items = rows.length > size ? rows.slice(0, size) : rows;
  if (isBackward) items.reverse();
  const context = {
    hasNextPage: isBackward ? isContinued : hasMore,
    hasPreviousPage: isBackward ? hasMore : isContinued,
    cursorAt: (index: number) => cursorOf(items[index] as Row),
    count,
  };
  return { items, context };
}
