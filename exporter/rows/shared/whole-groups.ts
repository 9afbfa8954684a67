/** Items in order, and the group of the last one: no later item belongs to it. */
export interface WholeGroups<Item> {
  readonly items: readonly Item[];
  readonly group: string;
}

/**
 * Cuts batches only between groups, such as blocks: the items of the last group of a batch wait for the next batch. So
 * memory holds a batch and the items of one group.
 */
export async function* wholeGroups<Item>(
  batches: AsyncIterable<readonly Item[]>,
  groupOf: (item: Item) => string,
): AsyncGenerator<WholeGroups<Item>> {
  let waiting: readonly Item[] = [];
  for await (const batch of batches) {
    const items = waiting.length === 0 ? batch : [...waiting, ...batch];
    const last = groupOf(items.at(-1) as Item);
    const end = items.findLastIndex((item) => groupOf(item) !== last) + 1;
    waiting = items.slice(end);
    if (end > 0) yield { items: items.slice(0, end), group: groupOf(items[end - 1] as Item) };
  }
  if (waiting.length > 0) yield { items: waiting, group: groupOf(waiting.at(-1) as Item) };
}
