import type { PageInfo } from "../../../core/graph/connection-page.ts";
import type { SnapshotReplay } from "./primary-snapshots.ts";

/** An item of a list in the graph. */
export type ListItem = Readonly<Record<string, unknown>>;

/**
 * Reads all pages of a list of the primary-network subgraph, in both directions. Fails if these are not the same, or if a page has more items
 * than requested.
 */
export async function allItems(
  { ask }: Pick<SnapshotReplay, "ask">,
  list: { readonly field: string; readonly filter?: string; readonly fields: string },
  pageSize = 100,
): Promise<ListItem[]> {
  const { field, filter = "", fields } = list;
  const walk = async (pageArgs: (cursor: string) => string, isBackward: boolean): Promise<ListItem[]> => {
    const found: ListItem[] = [];
    for (let cursor = ""; ; ) {
      const query = `{ page: ${field}(network: FUJI, ${filter} ${pageArgs(cursor)}) { pageInfo { hasNextPage hasPreviousPage
        startCursor endCursor } nodes { ${fields} } } }`;
      const { page } = await ask<{ page: { readonly pageInfo: PageInfo; readonly nodes: ListItem[] } }>(query);
      const { pageInfo, nodes } = page;
      if (nodes.length > pageSize) throw new Error(`a page of ${nodes.length}, ${pageSize} were requested`);
      if (isBackward) found.unshift(...nodes);
      else found.push(...nodes);
      const next = isBackward
        ? pageInfo.hasPreviousPage && pageInfo.startCursor
        : pageInfo.hasNextPage && pageInfo.endCursor;
      if (!next) return found;
      cursor = next;
    }
  };
  const forward = await walk((cursor) => `first: ${pageSize}, after: "${cursor}"`, false);
  const { page } = await ask<{ page: { readonly totalCount: object } }>(
    `{ page: ${field}(network: FUJI, ${filter} first: 1) { totalCount { count isExact } } }`,
  );
  expect(page.totalCount).toEqual({ count: String(forward.length), isExact: true });
  expect(await walk((cursor) => `last: ${pageSize}, before: "${cursor}"`, true)).toEqual(forward);
  return forward;
}

/** Items sorted by the text of a field. */
export function sortedBy(items: readonly ListItem[], field: string): ListItem[] {
  return items.toSorted((one, other) => (String(one[field]) < String(other[field]) ? -1 : 1));
}

/** The fields of an item that another item has too. */
export function withFieldsOf(item: ListItem | undefined, other: ListItem): ListItem {
  return Object.fromEntries(Object.keys(other).map((name) => [name, item?.[name]]));
}
