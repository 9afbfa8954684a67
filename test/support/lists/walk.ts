import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";

/** Reads a page of a list. */
export type ReadPage<Item> = (range: PageRange) => Promise<Page<Item>>;

/** Maximum number of pages of a list. */
const MAX_PAGES = 1_000;

/** Lists without a counter are counted up to this number. No list of a recording that has a counter is longer. */
const MAX_COUNT = 1_000;

/** The arguments of a page. */
export const argsOf = ({ size, cursor = null, isBackward = false }: PageRange) =>
  isBackward ? { last: size, before: cursor } : { first: size, after: cursor };

/**
 * All items of a list, page by page. Fails if the list is not the same when it is read backward, if a page is larger than requested, or if the
 * pages do not end.
 */
export async function allOf<Item>(read: ReadPage<Item>, size: number): Promise<Item[]> {
  const forward = await itemsFrom(read, { size });
  expect(await (await read({ size })).totalCount()).toEqual({
    count: String(Math.min(forward.length, MAX_COUNT)),
    isExact: forward.length <= MAX_COUNT,
  });
  expect(await itemsFrom(read, { size, isBackward: true })).toEqual(forward);
  return forward;
}

/** The items of a list from a cursor to the end in the direction of reading, in the order of the list. */
export async function itemsFrom<Item>(read: ReadPage<Item>, range: PageRange): Promise<Item[]> {
  const pages = await pagesFrom(read, range);
  return (range.isBackward ? pages.reverse() : pages).flatMap(({ nodes }) => nodes);
}

/** The pages of a list in the order in which they are read. */
async function pagesFrom<Item>(
  read: ReadPage<Item>,
  { size, cursor = null, isBackward = false }: PageRange,
): Promise<Page<Item>[]> {
  const pages: Page<Item>[] = [];
  for (let next: string | null = cursor; pages.length < MAX_PAGES; ) {
    const page: Page<Item> = await read({ size, cursor: next, isBackward });
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    expect(page.nodes.length).toBeLessThanOrEqual(size);
    // An item follows a page that was read backward from a cursor, and precedes one that was read forward.
    expect(isBackward ? hasNextPage : hasPreviousPage).toBe(next !== null);
    expect(page.nextPageToken).toBe(hasNextPage ? endCursor : null);
    pages.push(page);
    if (!(isBackward ? hasPreviousPage : hasNextPage)) return pages;
    expect(page.nodes).not.toEqual([]);
    next = isBackward ? startCursor : endCursor;
  }
  throw new Error("the pages do not end");
}
