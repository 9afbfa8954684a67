/** What a statement found of a page of a list. */
export interface Part<Item, Place> {
  readonly holders: readonly Item[];
  /** Where the list continues if the page has considered so many addresses that it is not full; otherwise null. */
  readonly lastCandidate: Place | null;
}

/** Reads the part of a page of this size that begins after a place. Null if the chain is not indexed any more. */
export type LoadPart<Item, Place> = (after: Place, size: number) => Promise<Part<Item, Place> | null>;

export interface Completed<Item, Place> {
  readonly holders: Item[];
  /** Where the next page begins if the page is not full although others follow; otherwise null. */
  readonly nextPlace: Place | null;
}

/**
 * Searches on if a page has considered so many addresses that it is not full: an empty page until an address is found, another
 * page until it is known whether more follow. So a page is empty only if the list ends, and a token always leads to an address.
 * Exception: after `maxParts` further parts, the page ends as it is.
 */
export async function completed<Item, Place>(
  first: Part<Item, Place>,
  size: number,
  load: LoadPart<Item, Place>,
  maxParts = Number.POSITIVE_INFINITY,
): Promise<Completed<Item, Place>> {
  const holders = [...first.holders];
  let parts = 0;
  for (let place = first.lastCandidate; place !== null; ) {
    if (parts++ >= maxParts) return { holders, nextPlace: place };
    const part: Part<Item, Place> | null = await load(place, holders.length === 0 ? size : 1);
    const found = part?.holders ?? [];
    if (holders.length > 0 && found.length > 0) return { holders, nextPlace: place };
    holders.push(...found);
    place = part?.lastCandidate ?? null;
  }
  return { holders, nextPlace: null };
}
