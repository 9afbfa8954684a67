import { randomUUID } from "node:crypto";
import { createDataLoader } from "../../../core/database/data-loader.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { expiredCursor, invalidCursor, PAGE_TOKEN_SECONDS } from "../../../core/graph/page.ts";
import { SERVICE_WORK, type Work } from "../../../core/work/work.ts";

/** Where a page of a list begins. */
export interface PageStart {
  readonly list: string;
  /** The parameters of the list: a token is valid only for these. They are compared as text, so `1` and `01` are different. */
  readonly parameters: readonly unknown[];
  readonly cursor: string;
  /** The chain's last indexed block when the page before was read. */
  readonly head: string;
}

/** A page of a token. */
export type IssuedPage = Pick<PageStart, "cursor" | "head">;

/**
 * Page tokens that are UUIDs and are stored in PostgreSQL, so that every replica knows them. A token is valid for one list with the
 * same parameters, for 24 hours.
 */
export interface StoredPageTokens {
  /** Returns a new token for each page, in the same order. Also deletes some tokens that have expired. */
  issue(pages: readonly PageStart[], work: Work): Promise<string[]>;
  /** True if a text has the form of these tokens. */
  isStored(token: string): boolean;
  /**
   * Returns the page of a token; null without a token. Tokens that are read in one tick are one statement. Throws `INVALID_PARAMETER` if
   * the token is invalid or expired.
   */
  read(list: string, parameters: readonly unknown[], token: string | null | undefined): Promise<IssuedPage | null>;
}

/** Each statement deletes up to ten more expired tokens than it makes new ones, so expired tokens do not accumulate. */
const ISSUE = `WITH expired AS (
    DELETE FROM metrics_page_tokens WHERE token IN (
      SELECT token FROM metrics_page_tokens WHERE expires_at < $4::bigint ORDER BY expires_at
      LIMIT cardinality($1::uuid[]) + 10 FOR UPDATE SKIP LOCKED))
  INSERT INTO metrics_page_tokens (token, request, cursor, head, expires_at)
  SELECT token, request, cursor, head, $5::bigint
  FROM unnest($1::uuid[], $2::text[], $3::text[], $6::bigint[]) AS page(token, request, cursor, head)`;

const READ = `SELECT token, request, cursor, head, expires_at AS "expiresAt" FROM metrics_page_tokens WHERE token = ANY ($1::uuid[])`;

interface StoredToken {
  readonly token: string;
  readonly request: string;
  readonly cursor: string;
  readonly head: string;
  readonly expiresAt: string;
}

/** The form of new tokens. PostgreSQL would also accept other forms of the same UUID. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** `nowSeconds` is the clock for the expiry of tokens. */
export function createStoredPageTokens({ pool }: Pick<Database, "pool">, nowSeconds: () => number): StoredPageTokens {
  const insert = prepared(pool, "metrics-page-tokens-issue", ISSUE);
  const findAll = prepared<{ [Name in keyof StoredToken]: string }>(pool, "metrics-page-tokens", READ);
  const read = async (keys: readonly Pick<StoredToken, "token">[]): Promise<(StoredToken | null)[]> => {
    const rows = await findAll([keys.map(({ token }) => token)], SERVICE_WORK);
    const found = new Map(rows.map((row) => [row.token, row]));
    return keys.map(({ token }) => found.get(token) ?? null);
  };
  // For all requests together.
  const find = createDataLoader("pageToken", read, { cache: false });
  return {
    async issue(pages, work) {
      const tokens = pages.map(() => randomUUID());
      const requests = pages.map(({ list, parameters }) => requestText(list, parameters));
      const now = nowSeconds();
      const cursors = pages.map(({ cursor }) => cursor);
      const heads = pages.map(({ head }) => head);
      await insert([tokens, requests, cursors, now, now + PAGE_TOKEN_SECONDS, heads], work);
      return tokens;
    },
    isStored: (token) => UUID.test(token),
    async read(list, parameters, token) {
      if (!token) return null;
      const found = UUID.test(token) ? await find.load({ token }) : null;
      if (found?.request !== requestText(list, parameters)) throw invalidCursor(token);
      if (nowSeconds() > Number(found.expiresAt)) throw expiredCursor();
      return { cursor: found.cursor, head: found.head };
    },
  };
}

function requestText(list: string, parameters: readonly unknown[]): string {
  return JSON.stringify([list, ...parameters]);
}
