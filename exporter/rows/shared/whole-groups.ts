/** Items in order. No later item belongs to one of their groups. */
export interface WholeGroups<Item> {
  readonly items: readonly Item[];
  /** The group of the last item. */
  readonly group: string;
}

/**
 * Returns a function that cuts batches only between groups, such as transactions: the items of the last group of a batch wait
 * for the next batch, so that memory holds a batch and the items of one group. The function returns null if all wait.
 */
export function createGrouping<Item>(
  groupOf: (item: Item) => string,
): (batch: readonly Item[], isLast: boolean) => WholeGroups<Item> | null {
  let waiting: readonly Item[] = [];
  return (batch, isLast) => {
    const items = waiting.length === 0 ? batch : [...waiting, ...batch];
    const end = isLast ? items.length : lastGroupStart(items, groupOf);
    waiting = items.slice(end);
    return end === 0 ? null : { items: items.slice(0, end), group: groupOf(items[end - 1] as Item) };
  };
}

/** Items in order, at most two batches. */
export interface PartialGroups<Item> {
  readonly items: readonly Item[];
  /** The group of the last item; null if more items of that group may follow. */
  readonly group: string | null;
}

/**
 * As `createGrouping`, for groups of any size, such as blocks, whose items need not be together: if a batch and the items that
 * wait are all of one group, none of them waits longer. So memory holds two batches.
 */
export function createPartialGrouping<Item>(
  groupOf: (item: Item) => string,
): (batch: readonly Item[], isLast: boolean) => PartialGroups<Item> | null {
  let waiting: readonly Item[] = [];
  return (batch, isLast) => {
    const items = waiting.length === 0 ? batch : [...waiting, ...batch];
    if (items.length === 0) return null;
    const end = isLast ? items.length : lastGroupStart(items, groupOf);
    waiting = end === 0 ? [] : items.slice(end);
    return end === 0 ? { items, group: null } : { items: items.slice(0, end), group: groupOf(items[end - 1] as Item) };
  };
}

/** Index of the first item of the last group; 0 if all are of one group. */
function lastGroupStart<Item>(items: readonly Item[], groupOf: (item: Item) => string): number {
  const last = items.at(-1);
  return last === undefined ? 0 : items.findLastIndex((item) => groupOf(item) !== groupOf(last)) + 1;
}
