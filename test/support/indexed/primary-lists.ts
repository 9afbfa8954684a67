import type { SnapshotReplay } from "./primary-snapshots.ts";

/** An item of a list in the graph. */
export type ListItem = Readonly<Record<string, unknown>>;

/** Reads all pages of a list of the primary-network subgraph. Fails if a page has more items than requested. */
export async function allItems(
  { ask }: Pick<SnapshotReplay, "ask">,
  list: { readonly field: string; readonly items: string; readonly filter?: string; readonly fields: string },
  pageSize = 100,
): Promise<ListItem[]> {
  const { field, items, filter = "", fields } = list;
  const found: ListItem[] = [];
  for (let token = ""; ; ) {
    const query = `{ page: ${field}(network: FUJI, ${filter} first: ${pageSize}, after: "${token}") { nextPageToken ${items} { ${fields} } } }`;
    const { page } = await ask<{ page: ListItem & { nextPageToken: string | null } }>(query);
    const some = page[items] as ListItem[];
    if (some.length > pageSize) throw new Error(`a page of ${some.length}, ${pageSize} were requested`);
    found.push(...some);
    if (page.nextPageToken === null) return found;
    token = page.nextPageToken;
  }
}

/** Items sorted by the text of a field. */
export function sortedBy(items: readonly ListItem[], field: string): ListItem[] {
  return items.toSorted((one, other) => (String(one[field]) < String(other[field]) ? -1 : 1));
}

/** The fields of an item that another item has too. */
export function withFieldsOf(item: ListItem | undefined, other: ListItem): ListItem {
  return Object.fromEntries(Object.keys(other).map((name) => [name, item?.[name]]));
}
