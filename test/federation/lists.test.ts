import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from "graphql";
import { accessOf } from "../support/database/plans.ts";
import { distinctStatementsOf } from "../support/database/statements.ts";
import {
  CONSUMER_SCHEMA,
  type GraphAnswer,
  LIST_NAMES,
  type OpenedLists,
  openLists,
} from "../support/lists/graph-lists.ts";

/** Lists that are read only forward: they have no `last` and `before`. */
const FORWARD_ONLY: readonly string[] = ["Erc20Token.holdersAbove", "Query.erc20HoldersAbove"];
const SIZES = [1, 3, 100];
/** Of a long list, the last pages are compared too, but not all pages of one item. */
const MAX_PAGES = 12;

let opened: OpenedLists;
beforeAll(async () => {
  opened = await openLists();
}, 60_000);
afterAll(() => opened[Symbol.asyncDispose]());

interface ListPage {
  readonly nodes: readonly object[];
  readonly edges: readonly { readonly cursor: string; readonly node: object }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount?: { readonly count: string; readonly isExact: boolean };
}

function fieldsOf(name: string): ReturnType<GraphQLObjectType["getFields"]> {
  const type = CONSUMER_SCHEMA.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is no object type`);
  return type.getFields();
}

const fieldOf = (name: string) => {
  const [type = "", field = ""] = name.split(".");
  return fieldsOf(type)[field];
};

/** All leaves of the items of a list that need no call to a node, and those of their entities' keys. */
function leavesOf(name: string): string {
  const connection = getNamedType(fieldOf(name)?.type);
  const node = getNamedType(fieldsOf(connection?.name ?? "")["nodes"]?.type);
  const fields = Object.values(fieldsOf(node?.name ?? ""));
  const leaves = fields.filter(
    ({ type, args, name }) => isLeafType(getNamedType(type)) && args.length === 0 && name !== "isApproximate",
  );
  return ["__typename", ...leaves.map((field) => field.name)].join(" ");
}

const PAGE_INFO = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";

/** Finds the list in an answer. */
function listIn(value: unknown): ListPage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("pageInfo" in value) return value as ListPage;
  return Object.values(value)
    .map(listIn)
    .find((found) => found !== undefined);
}

async function pageOf(name: string, args: string, selection: string): Promise<ListPage> {
  const list = opened.lists(args, `{ ${selection} ${PAGE_INFO} }`)[name] ?? "";
  const answer: GraphAnswer = await opened.ask(list, "", {});
  expect([name, answer.errors]).toEqual([name, undefined]);
  return listIn(answer.data) as ListPage;
}

/** The items of up to `MAX_PAGES` pages, in the order of the list. */
async function walk(name: string, size: number, isBackward: boolean): Promise<{ items: object[]; isWhole: boolean }> {
  const items: object[] = [];
  let cursor = "";
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const args = isBackward ? `last: ${size}, before: "${cursor}"` : `first: ${size}, after: "${cursor}"`;
    const { nodes, pageInfo } = await pageOf(name, args, `nodes { ${leavesOf(name)} }`);
    expect(nodes.length).toBeLessThanOrEqual(size);
    expect(isBackward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage).toBe(cursor !== "");
    if (isBackward) items.unshift(...nodes);
    else items.push(...nodes);
    const next = isBackward
      ? pageInfo.hasPreviousPage && pageInfo.startCursor
      : pageInfo.hasNextPage && pageInfo.endCursor;
    if (!next) return { items, isWhole: true };
    cursor = next;
  }
  return { items, isWhole: false };
}

describe("a list of the graph", () => {
  it("can be read backward, but for those that are known only from their beginning", () => {
    const forward = LIST_NAMES.filter((name) => !fieldOf(name)?.args.some((argument) => argument.name === "last"));
    expect(forward).toEqual(FORWARD_ONLY);
  });

  it.each(LIST_NAMES)("%s has the same items in pages of any size, forward and backward", async (name) => {
    const all = await walk(name, 100, false);
    expect(all.items.length).toBeGreaterThan(1);
    for (const size of SIZES) {
      const { items, isWhole } = await walk(name, size, false);
      expect([size, isWhole ? items : items.length]).toEqual([size, isWhole ? all.items : size * MAX_PAGES]);
      expect(items).toEqual(all.items.slice(0, items.length));
      if (FORWARD_ONLY.includes(name)) continue;
      const backward = await walk(name, size, true);
      expect([size, backward.items]).toEqual([size, all.items.slice(all.items.length - backward.items.length)]);
      expect(backward.items).toHaveLength(Math.min(all.items.length, size * MAX_PAGES));
    }
  });

  it.each(LIST_NAMES)("%s has the items of its edges, the cursor of each, and its number", async (name) => {
    const { items } = await walk(name, 100, false);
    const leaves = leavesOf(name);
    const page = await pageOf(
      name,
      "first: 3",
      `nodes { ${leaves} } edges { cursor node { ${leaves} } } totalCount { count isExact }`,
    );
    expect(page.nodes).toEqual(items.slice(0, 3));
    expect(page.edges.map(({ node }) => node)).toEqual(page.nodes);
    expect(page.totalCount).toEqual({ count: String(items.length), isExact: true });
    expect([page.edges[0]?.cursor, page.edges.at(-1)?.cursor]).toEqual([
      page.pageInfo.startCursor,
      page.pageInfo.endCursor,
    ]);
    for (const [index, { cursor }] of page.edges.entries()) {
      const after = await pageOf(name, `first: 2, after: "${cursor}"`, `nodes { ${leaves} }`);
      expect(after.nodes).toEqual(items.slice(index + 1, index + 3));
      if (FORWARD_ONLY.includes(name)) continue;
      const before = await pageOf(name, `last: 2, before: "${cursor}"`, `nodes { ${leaves} }`);
      expect(before.nodes).toEqual(items.slice(Math.max(0, index - 2), index));
    }
  });

  it.each(LIST_NAMES.filter((name) => !FORWARD_ONLY.includes(name)))(
    "%s is read by the same indexes in both directions, with no more sorts",
    async (name) => {
      const { edges } = await pageOf(name, "first: 2", "edges { cursor }");
      const accessOfPage = async (args: string) => {
        const statements = await distinctStatementsOf(() => pageOf(name, args, "nodes { __typename }"));
        const ordered = statements.filter(({ text }) => text.includes("ORDER BY"));
        const all = await Promise.all(ordered.map(({ text, values }) => accessOf(opened.api.pool, text, values)));
        return {
          indexes: [...new Set(all.flatMap(({ indexes }) => indexes))].sort(),
          sorts: Math.max(...all.map(({ sorts }) => sorts)),
        };
      };
      const forward = await accessOfPage(`first: 2, after: "${edges[0]?.cursor}"`);
      expect(forward.indexes).not.toEqual([]);
      const backward = await accessOfPage(`last: 2, before: "${edges[1]?.cursor}"`);
      // PostgreSQL leaves out a part whose condition is never true, such as the primary network before a subnet.
      expect(forward.indexes).toEqual(expect.arrayContaining([...backward.indexes]));
      expect(backward.indexes).not.toEqual([]);
      expect(backward.sorts).toBeLessThanOrEqual(forward.sorts);
    },
  );

  it.each(LIST_NAMES)("%s has a cursor on its last page, after which nothing follows yet", async (name) => {
    let cursor = "";
    for (let hasNext = true; hasNext; ) {
      const { pageInfo } = await pageOf(name, `first: 100, after: "${cursor}"`, "__typename");
      cursor = pageInfo.endCursor ?? "";
      hasNext = pageInfo.hasNextPage;
    }
    const after = await pageOf(name, `first: 100, after: "${cursor}"`, "nodes { __typename }");
    expect([after.nodes, after.pageInfo.hasNextPage]).toEqual([[], false]);
  });
});
