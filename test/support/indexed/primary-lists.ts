import { type AskData, type ListItem, ROOT, walkList } from "../lists/walk-query.ts";

/** Reads all pages of a list of the primary-network subgraph, in both directions (`walkList`). */
export function allItems(
  { ask }: { readonly ask: AskData },
  list: { readonly field: string; readonly filter?: string; readonly fields: string },
  pageSize = 100,
): Promise<ListItem[]> {
  const { field, filter = "", fields } = list;
  return walkList({ ask, place: ROOT, field, args: `network: FUJI, ${filter}`, selection: fields, size: pageSize });
}

/** Items sorted by the text of a field. */
export function sortedBy(items: readonly ListItem[], field: string): ListItem[] {
  return items.toSorted((one, other) => (String(one[field]) < String(other[field]) ? -1 : 1));
}

/** The fields of an item that another item has too. */
export function withFieldsOf(item: ListItem | undefined, other: ListItem): ListItem {
  return Object.fromEntries(Object.keys(other).map((name) => [name, item?.[name]]));
}
