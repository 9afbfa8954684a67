import { Failure, joinedFailure } from "../../../core/errors/errors.ts";
import type { IssuedPage, StoredPageTokens } from "./page-tokens.ts";

export interface PageRequest {
  /** Name of the list, to which page tokens belong. */
  readonly list: string;
  /** Parameters of the list, to which page tokens belong. */
  readonly parameters: readonly unknown[];
  /** Reading `size` throws `INVALID_PARAMETER` if it is out of bounds. */
  readonly page: { readonly size: number; readonly pageToken?: string | null };
  /** Rules that the request violates besides those of pages. */
  readonly violations?: readonly Failure[];
}

/**
 * Returns the size of a page, and what its token says; null for the first page. Throws `INVALID_PARAMETER` with every
 * violated rule.
 */
export async function checkedPage(
  { list, parameters, page, violations = [] }: PageRequest,
  { pageTokens }: { readonly pageTokens: StoredPageTokens },
): Promise<{ size: number; before: IssuedPage | null }> {
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
  const before = await valid(() => pageTokens.read(list, parameters, page.pageToken));
  if (failures.length > 0 || size === null) throw joinedFailure(failures);
  return { size, before };
}
