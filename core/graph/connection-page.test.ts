import { pageOf } from "./page.ts";

/** A page of two items of a list of numbers, and how many cursors were made. */
function page(rows: number[], isBackward: boolean, isContinued: boolean) {
  const made: number[] = [];
  const cursorOf = (row: number): string => {
    made.push(row);
    return `cursor of ${row}`;
  };
  let counts = 0;
  const count = async () => ({ count: String(++counts), isExact: true });
  return { made, page: pageOf(rows, { size: 2, isBackward, isContinued, cursorOf, count }) };
}

describe("a page", () => {
  it.each([
    ["the only one", [1, 2], false, false, { nodes: [1, 2], next: false, previous: false, token: null }],
    ["the first", [1, 2, 3], false, false, { nodes: [1, 2], next: true, previous: false, token: "cursor of 2" }],
    ["the last", [5], false, true, { nodes: [5], next: false, previous: true, token: null }],
    ["one before a cursor", [8, 7, 6], true, true, { nodes: [7, 8], next: true, previous: true, token: "cursor of 8" }],
    ["the last, read backward", [9, 8, 7], true, false, { nodes: [8, 9], next: false, previous: true, token: null }],
    ["the first, read backward", [1], true, true, { nodes: [1], next: true, previous: false, token: "cursor of 1" }],
    ["an empty one", [], false, true, { nodes: [], next: false, previous: true, token: null }],
  ])("that is %s", (_, rows, isBackward, isContinued, expected) => {
    const found = page(rows, isBackward, isContinued).page;
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = found.pageInfo;
    expect({
      nodes: found.nodes,
      next: hasNextPage,
      previous: hasPreviousPage,
      token: found.nextPageToken,
    }).toEqual(expected);
    const cursors = found.nodes.map((node) => `cursor of ${node}`);
    expect([startCursor, endCursor]).toEqual([cursors[0] ?? null, cursors.at(-1) ?? null]);
    expect(found.edges.map(({ node, cursor }) => [node, cursor])).toEqual(
      found.nodes.map((node, at) => [node, cursors[at]]),
    );
  });

  it("makes cursors only when they are read, and each once", () => {
    const { made, page: found } = page([1, 2, 3], false, false);
    expect(found.edges.map(({ node }) => node)).toEqual([1, 2]);
    expect(found.pageInfo.hasNextPage).toBe(true);
    expect(made).toEqual([]);
    expect([found.nextPageToken, found.pageInfo.endCursor, found.edges[1]?.cursor]).toEqual(
      Array(3).fill("cursor of 2"),
    );
    expect(made).toEqual([2]);
  });

  it("is counted when it is asked, and once", async () => {
    const { page: found } = page([1], false, false);
    expect(await Promise.all([found.totalCount(), found.totalCount()])).toEqual(
      Array(2).fill({ count: "1", isExact: true }),
    );
    expect(found.totalCount()).toEqual({ count: "1", isExact: true });
  });

  it("keeps the cursors of its rows with other items, also if some were not found", () => {
    const { page: found } = page([1, 2, 3], false, false);
    const other = found.withFound([null, "two"]);
    expect([other.nodes, other.edges[0]?.cursor, other.nextPageToken]).toEqual([["two"], "cursor of 2", "cursor of 2"]);
  });
});
