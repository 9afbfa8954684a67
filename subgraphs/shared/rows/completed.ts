/** Maximum number of further statements for a page, if the first statement does not fill it. */
export const MAX_FURTHER_STATEMENTS = 9;

/** What a statement found of a page of a list. */
export interface Part<Item, Place> {
  readonly items: readonly Item[];
  /** The place after which the list continues, if the maximum number of candidates did not fill the page; otherwise null. */
  readonly lastCandidate: Place | null;
}

/** Reads the part of a page of this size that begins after a place. Rejects if the chain is not indexed any more. */
export type LoadPart<Item, Place> = (after: Place, size: number) => Promise<Part<Item, Place>>;

export interface Completed<Item, Place> {
  readonly items: Item[];
  /** The place after which the next page begins, if this page is neither full nor the last; otherwise null. */
  readonly nextPlace: Place | null;
}

/**
 * Completes a page that is not full after the maximum number of candidates. If the page is empty, reads on until an item is
 * found. Then reads on until it is known whether another item follows. So a page is empty only if the list ends, and a page
 * token always leads to an item.
 * Exception: after `maxParts` further parts, the page ends as it is.
 */
export async function completed<Item, Place>(
  first: Part<Item, Place>,
  size: number,
  load: LoadPart<Item, Place>,
  maxParts = Number.POSITIVE_INFINITY,
): Promise<Completed<Item, Place>> {
  const items = [...first.items];
  let parts = 0;
  for (let place = first.lastCandidate; place !== null; ) {
    if (parts++ >= maxParts) return { items, nextPlace: place };
    const part: Part<Item, Place> = await load(place, items.length === 0 ? size : 1);
    if (items.length > 0 && part.items.length > 0) return { items, nextPlace: place };
    items.push(...part.items);
    place = part.lastCandidate;
  }
  return { items, nextPlace: null };
}
