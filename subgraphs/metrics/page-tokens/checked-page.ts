import { Failure, joinedFailure } from "../../../core/errors/errors.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import { type IssuedPage, isUuid, type NumberForm, type UuidTokens } from "./uuid-tokens.ts";

export interface PageRequest {
  /** Name of the list, to which cursors and page tokens belong. */
  readonly list: string;
  /** Parameters of the list, to which cursors and page tokens belong. */
  readonly parameters: readonly unknown[];
  /** Reading `size` throws `INVALID_PARAMETER` if it is out of bounds. */
  readonly page: PageRange;
  /** The form of its page tokens if they are UUIDs. Absent: they are cursors. */
  readonly form?: NumberForm;
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
  readonly uuidTokens: UuidTokens;
  readonly cursors: PageTokens;
}

/**
 * Returns the size of a page, and what its cursor or page token says. Throws `INVALID_PARAMETER` with every violated rule.
 */
export function checkedPage(
  { list, parameters, page, form, violations = [] }: PageRequest,
  tokens: Tokens,
): CheckedPage {
  const failures = [...violations];
  const valid = <Value>(read: () => Value): Value | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "INVALID_PARAMETER") throw error;
      failures.push(error);
      return null;
    }
  };
  const size = valid(() => page.size);
  const start = valid(() => readCursor({ list, parameters, ...(form && { form }) }, page.cursor, tokens));
  if (failures.length > 0 || size === null) throw joinedFailure(failures);
  return { size, isBackward: page.isBackward ?? false, start };
}

/** Reads a cursor, or a page token of a list whose page tokens are UUIDs. Throws `INVALID_PARAMETER` if it is invalid or expired. */
export function readCursor(
  { list, parameters, form }: Pick<PageRequest, "list" | "parameters" | "form">,
  cursor: string | null | undefined,
  { uuidTokens, cursors }: Tokens,
): IssuedPage | null {
  if (!cursor) return null;
  if (form && isUuid(cursor)) return uuidTokens.read({ list, parameters, form }, cursor);
  const start = cursors.read(list, parameters, cursor);
  return start && { cursor: start.position.join(" "), head: start.heads[0] ?? "-1" };
}
