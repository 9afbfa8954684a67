import "reflect-metadata";
import { createHmac, timingSafeEqual } from "node:crypto";
import { ArgsType, Field, Int } from "type-graphql";
import { Failure, quoted } from "../errors/errors.ts";

/** Time in which a page token is valid. */
export const PAGE_TOKEN_SECONDS = 86_400;
const MAC_BYTES = 16;

/** Base class with the page arguments of a list. `max` is the largest page size, `initial` the default. */
export function PageArgs({ max, initial }: { readonly max: number; readonly initial: number }) {
  @ArgsType()
  abstract class Page {
    @Field(() => String, {
      nullable: true,
      description:
        "`nextPageToken` of the previous page. Absent or empty for the first page. Valid for 24 hours, and only with the same arguments apart from `pageSize`.",
    })
    pageToken?: string | null;

    @Field(() => Int, {
      nullable: true,
      // The gateway uses it to compute the cost of operations.
      defaultValue: initial,
      description: `Maximum number of items, from 1 to ${max}. Default: ${initial}.`,
    })
    pageSize?: number | null;

    /** The page size. Throws `INVALID_PARAMETER` if it is out of bounds. */
    get size(): number {
      const size = this.pageSize ?? initial;
      if (size < 1 || size > max)
        throw new Failure("INVALID_PARAMETER", `pageSize must be from 1 to ${max}, got ${size}`);
      return size;
    }
  }
  return Page;
}

/** Position in a list after which a page starts: the values of the last returned item in the columns of the order. */
export type Position = readonly string[];

/**
 * How far the chains of a list are indexed: a number for each chain, which grows with every block that is indexed. Empty for a list that
 * does not come from chains.
 */
export type Heads = readonly string[];

/** Where a page starts, and how far the chains were indexed when the page before it was read. */
export interface PageStart {
  readonly position: Position;
  readonly heads: Heads;
}

/** Signs and reads page tokens. A token is valid for one list with the same parameters, for 24 hours. */
export interface PageTokens {
  /** Returns the token of the page that starts there. */
  sign(list: string, parameters: readonly unknown[], start: PageStart): string;
  /**
   * Returns where the page of a token starts; null without a token. Throws `INVALID_PARAMETER` if the token is invalid or expired. Compare
   * its heads by `requireHeads`.
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
        throw new Failure(
          "INVALID_PARAMETER",
          `pageToken must be the nextPageToken of a page with the same parameters, got ${quoted(token)}`,
        );
      const [signedAt = "", heads = "", ...position] = payload.split(".");
      if (nowSeconds() - Number.parseInt(signedAt, 36) > PAGE_TOKEN_SECONDS)
        throw new Failure("INVALID_PARAMETER", "pageToken has expired after 24 hours: start again from the first page");
      return { position, heads: heads === "" ? [] : heads.split(",") };
    },
  };
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
    "pageToken is from a page that was read when more blocks were indexed than are indexed here: try again later, or start again from the first page",
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

/** A request for a page of a list. */
export interface ListPage<Row> {
  /** Name of the list, to which page tokens belong. */
  readonly list: string;
  /** Parameters of the list, to which page tokens belong. */
  readonly parameters: readonly unknown[];
  readonly page: { readonly pageToken?: string | null; readonly size: number };
  /** Position before the first item. */
  readonly start: Position;
  /** Reads the rows after a position: one more than the size of the page, if there are so many. */
  read(position: Position): Promise<ListRows<Row>>;
  readonly positionOf: (row: Row) => Position;
  /** How many of the rows fit on the page: at least one. Default: as many as its size. */
  readonly countFitting?: (rows: readonly Row[]) => number;
}

/**
 * Reads a page of a list. Throws `INVALID_PARAMETER` for an invalid page token, and `UNAVAILABLE` like `requireHeads`. The token of the
 * next page is null if no row follows the page.
 */
export async function readListPage<Row>(
  tokens: PageTokens,
  { list, parameters, page: { pageToken, size }, start, read, positionOf, countFitting }: ListPage<Row>,
): Promise<{ items: Row[]; nextPageToken: string | null }> {
  const before = tokens.read(list, parameters, pageToken);
  const found = await read(before?.position ?? start);
  const { rows } = found;
  if (before) requireHeads(before.heads, await found.heads());
  const fitting = Math.min(size, countFitting?.(rows) ?? size);
  if (rows.length <= fitting) return { items: rows, nextPageToken: null };
  const heads = await found.heads();
  return pageOf(rows, fitting, (last) => tokens.sign(list, parameters, { position: positionOf(last), heads }));
}

/** Makes a page of rows that were read with a limit of `size + 1`. The token is null if no row follows the page. */
export function pageOf<Row>(
  rows: Row[],
  size: number,
  tokenAfter: (last: Row) => string,
): { items: Row[]; nextPageToken: string | null } {
  if (rows.length <= size) return { items: rows, nextPageToken: null };
  const items = rows.slice(0, size);
  return { items, nextPageToken: tokenAfter(items[size - 1] as Row) };
}
