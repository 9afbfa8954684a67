/** Items in order; no later item belongs to a group of theirs. */
export interface WholeGroups<Item> {
  readonly items: readonly Item[];
  /** The group of the last item. */
  readonly group: string;
}

/**
 * Returns a function that cuts batches only between groups, such as blocks: the items of the last group of a batch wait for
 * the next batch, so that memory holds a batch and the items of one group. The function returns null if all wait.
 */
export function createGrouping<Item>(
  groupOf: (item: Item) => string,
): (batch: readonly Item[], isLast: boolean) => WholeGroups<Item> | null {
  let waiting: readonly Item[] = [];
  return (batch, isLast) => {
    const items = waiting.length === 0 ? batch : [...waiting, ...batch];
    const last = items.at(-1);
    if (last === undefined) return null;
    const end = isLast ? items.length : items.findLastIndex((item) => groupOf(item) !== groupOf(last)) + 1;
    waiting = items.slice(end);
    return end === 0 ? null : { items: items.slice(0, end), group: groupOf(items[end - 1] as Item) };
  };
}
