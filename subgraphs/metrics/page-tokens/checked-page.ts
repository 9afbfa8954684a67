import { Failure, joinedFailure } from "../../../core/errors/errors.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { IssuedPage, StoredPageTokens } from "./page-tokens.ts";

export interface PageRequest {
  /** Name of the list, to which cursors and page tokens belong. */
  readonly list: string;
  /** Parameters of the list, to which cursors and page tokens belong. */
  readonly parameters: readonly unknown[];
  /** Reading `size` throws `INVALID_PARAMETER` if it is out of bounds. */
  readonly page: PageRange;
  /** Rules that the request violates besides those of pages. */
  readonly violations?: readonly Failure[];
}

export interface CheckedPage {
  readonly size: number;
  readonly isBackward: boolean;
  /** What the cursor says; null without a cursor. */
  readonly start: IssuedPage | null;
}

interface Tokens {
  readonly pageTokens: StoredPageTokens;
  readonly cursors: PageTokens;
}

/**
 * Returns the size of a page, and what its cursor or page token says. Throws `INVALID_PARAMETER` with every violated rule.
 */
export async function checkedPage(
  { list, parameters, page, violations = [] }: PageRequest,
  tokens: Tokens,
): Promise<CheckedPage> {
  const failures = [...violations];
  const valid = async <Value>(read: () => Value | Promise<Value>): Promise<Value | null> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "INVALID_PARAMETER") throw error;
      failures.push(error);
      return null;
    }
  };
  const size = await valid(() => page.size);
  const start = await valid(() => readCursor(list, parameters, page.cursor, tokens));
  if (failures.length > 0 || size === null) throw joinedFailure(failures);
  return { size, isBackward: page.isBackward ?? false, start };
}

/** Reads a cursor, or a page token of REST, which is stored. */
export async function readCursor(
  list: string,
  parameters: readonly unknown[],
  cursor: string | null | undefined,
  { pageTokens, cursors }: Tokens,
): Promise<IssuedPage | null> {
  if (!cursor) return null;
  if (pageTokens.isStored(cursor)) return pageTokens.read(list, parameters, cursor);
  const start = cursors.read(list, parameters, cursor);
  return start && { cursor: start.position.join(" "), head: start.heads[0] ?? "-1" };
}
