import type { ExecutionResult } from "graphql";

/** An item of a list, by the fields that were asked for. */
export type ListItem = Readonly<Record<string, unknown>>;

/** Sends a query, and returns its data. Rejects if the answer has errors. */
export type AskData = <Data>(query: string) => Promise<Data>;

/** Returns the data of answers, and fails with their errors. */
export const answersOf =
  (ask: (query: string) => Promise<ExecutionResult>): AskData =>
  async <Data>(query: string) => {
    const { data, errors } = await ask(query);
    expect(errors).toBeUndefined();
    return data as Data;
  };

interface AskedPage {
  readonly nodes: readonly ListItem[];
  readonly pageInfo: Readonly<Record<"startCursor" | "endCursor", string | null>> &
    Readonly<Record<"hasNextPage" | "hasPreviousPage", boolean>>;
  readonly totalCount: { readonly count: string; readonly isExact: boolean };
}

/** Where a list is in an operation, whose selection is there named `list`. */
export interface ListPlace {
  readonly around: (list: string) => string;
  readonly find: (data: unknown) => AskedPage;
}

/** A field of the Query type. */
export const ROOT: ListPlace = {
  around: (list) => `{ ${list} }`,
  find: (data) => (data as { readonly list: AskedPage }).list,
};

/** A field of the object that a field of the Query type returns. */
export const inField = (field: string): ListPlace => ({
  around: (list) => `{ parent: ${field} { ${list} } }`,
  find: (data) => (data as { readonly parent: { readonly list: AskedPage } }).parent.list,
});

/** A field of an entity of a subgraph. */
export const ofEntity = (type: string, key: string): ListPlace => ({
  around: (list) =>
    `{ _entities(representations: [{ __typename: "${type}", ${key} }]) { ... on ${type} { ${list} } } }`,
  find: (data) => (data as { readonly _entities: readonly [{ readonly list: AskedPage }] })._entities[0].list,
});

export interface AskedList {
  readonly ask: AskData;
  readonly place: ListPlace;
  readonly field: string;
  /** Arguments other than those of the page. */
  readonly args?: string;
  /** Selection of the items. */
  readonly selection: string;
  readonly size: number;
}

/**
 * Reads all pages of a list, from its beginning, and from its end. Returns the items. Throws if both directions have not the same items, if a
 * page says the wrong thing about the pages beside it, or if the count is another.
 */
export async function walkList(list: AskedList): Promise<ListItem[]> {
  const forward = await pagesOf(list, false);
  const backward = (await pagesOf(list, true)).reverse();
  const items = forward.flatMap(({ nodes }) => nodes);
  expect(backward.flatMap(({ nodes }) => nodes)).toEqual(items);
  const exact = { count: String(items.length), isExact: true };
  // A list without a counter is counted up to 1,000 items.
  const atLeast = items.length > 1_000 ? [{ count: "1000", isExact: false }] : [];
  for (const { totalCount } of forward) expect([exact, ...atLeast]).toContainEqual(totalCount);
  return items;
}

async function pagesOf(list: AskedList, isBackward: boolean): Promise<AskedPage[]> {
  const pages: AskedPage[] = [];
  for (let cursor: string | null = null; pages.length < 1_000; ) {
    const page = await read(list, isBackward, cursor);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    pages.push(page);
    expect(isBackward ? hasNextPage : hasPreviousPage).toBe(cursor !== null);
    if (!(isBackward ? hasPreviousPage : hasNextPage)) return pages;
    expect(page.nodes).toHaveLength(list.size);
    cursor = isBackward ? startCursor : endCursor;
  }
  throw new Error("the pages do not end");
}

async function read(list: AskedList, isBackward: boolean, cursor: string | null): Promise<AskedPage> {
  const { ask, place, field, args = "", selection, size } = list;
  const start = cursor === null ? "" : `${isBackward ? "before" : "after"}: ${JSON.stringify(cursor)}`;
  const page = `${isBackward ? "last" : "first"}: ${size} ${start}`;
  const query = place.around(`list: ${field}(${page} ${args}) {
    nodes { ${selection} } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } totalCount { count isExact } }`);
  return place.find(await ask(query));
}
