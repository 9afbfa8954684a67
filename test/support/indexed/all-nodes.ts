import type { ListItem } from "./primary-lists.ts";

/** A page of a connection. */
interface ConnectionPage {
  readonly nodes: ListItem[];
  readonly pageInfo: { readonly hasMore: boolean; readonly cursor: string | null };
  readonly totalCount: { readonly count: string; readonly isExact: boolean };
}

/** A list of a graph: the field with its arguments besides those of the page. */
export interface AskedList {
  readonly field: string;
  readonly arguments: string;
  /** Fields of each node. */
  readonly fields: string;
  readonly pageSize: number;
}

type Ask = <Data>(query: string) => Promise<Data>;

/** Reads all pages of a connection from its beginning to its end, or backward from its end. Returns the nodes in the order of the list. */
async function read(
  ask: Ask,
  list: AskedList,
  isBackward: boolean,
): Promise<[ListItem[], ConnectionPage["totalCount"]]> {
  const [size, cursor, info] = isBackward
    ? ["last", "before", "hasMore: hasPreviousPage cursor: startCursor"]
    : ["first", "after", "hasMore: hasNextPage cursor: endCursor"];
  const pages: ListItem[][] = [];
  for (let at = ""; ; ) {
    const query = `{ page: ${list.field}(${list.arguments} ${size}: ${list.pageSize}, ${cursor}: "${at}") {
      nodes { ${list.fields} } pageInfo { ${info} } totalCount { count isExact } } }`;
    const { page } = await ask<{ page: ConnectionPage }>(query);
    pages.push(page.nodes);
    if (page.nodes.length > list.pageSize)
      throw new Error(`a page of ${page.nodes.length}, ${list.pageSize} were requested`);
    if (!page.pageInfo.hasMore) return [(isBackward ? pages.reverse() : pages).flat(), page.totalCount];
    at = page.pageInfo.cursor ?? "";
  }
}

/** All nodes of a connection. Fails unless both directions have the same nodes, and the count is theirs. */
export async function allNodes(ask: Ask, list: AskedList): Promise<ListItem[]> {
  const [forward, total] = await read(ask, list, false);
  const [backward] = await read(ask, list, true);
  expect(backward).toEqual(forward);
  expect(total).toEqual({ count: String(forward.length), isExact: true });
  return forward;
}
