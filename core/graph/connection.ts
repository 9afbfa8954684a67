import "reflect-metadata";
import { Directive, Field, ObjectType } from "type-graphql";
import type { Edge, Page, PageInfo as PageInfoFields, TotalCount as TotalCountFields } from "./connection-page.ts";
import { Quantity } from "./scalars.ts";

@ObjectType({ description: "Where a page is in its list." })
@Directive("@shareable")
class PageInfo implements PageInfoFields {
  @Field(() => Boolean, {
    description: "True if an item follows the page. For a page that was read backward: true if `before` was given.",
  })
  hasNextPage!: boolean;

  @Field(() => Boolean, {
    description: "True if `after` was given. For a page that was read backward: true if an item precedes the page.",
  })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      "Cursor from which the page before continues: that of the first item. An empty page has one only if the list goes on before it.",
  })
  startCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Cursor from which the next page continues: that of the last item. An empty page has one only if the list goes on after it. The last page has one too: with it as `after`, a client can ask later for what has been added at the end of the list.",
  })
  endCursor!: string | null;
}

@ObjectType({ description: "Number of items of a list." })
@Directive("@shareable")
class TotalCount implements TotalCountFields {
  @Field(() => Quantity, { description: "Number of items." })
  count!: string;

  @Field(() => Boolean, { description: "If false, there are at least `count` items." })
  isExact!: boolean;
}

/** Description of the field `nextPageToken` of all connections. */
const NEXT_PAGE_TOKEN =
  "Token of the next page, in the form of REST; null on the last page. See also `pageInfo.endCursor`.";

type Class<Item> = new () => Item;

/** The classes of edges by those of their nodes: all connections of a type have the same edges. */
const edges = new WeakMap<Class<unknown>, Class<Edge<unknown>>>();

function edgeOf<Item>(Node: Class<Item>): Class<Edge<Item>> {
  const known = edges.get(Node);
  if (known) return known as Class<Edge<Item>>;

  @ObjectType(`${Node.name}Edge`, { description: `An item of a list of \`${Node.name}\`, and its cursor.` })
  class NodeEdge {
    @Field(() => Node, { description: "The item." })
    readonly node!: Item;

    @Field(() => String, {
      description:
        "Place of the item in the list, for `after` and `before`. Valid for 24 hours, and only in the same list with the same arguments apart from `first`, `after`, `last` and `before`.",
    })
    readonly cursor!: string;
  }
  edges.set(Node, NodeEdge);
  return NodeEdge;
}

/** Base class of a connection: a page of a list of `Node`. `nodes` describes the items and their order. Pages are instances of `Page`. */
export function Connection<Item>(Node: Class<Item>, nodes: string) {
  const NodeEdge = edgeOf(Node);

  @ObjectType()
  abstract class NodeConnection {
    @Field(() => [Node], { description: nodes })
    nodes!: Item[];

    @Field(() => [NodeEdge], { description: "The same items, each with its cursor." })
    edges!: Edge<Item>[];

    @Field(() => PageInfo, { description: "Where the page is in its list." })
    pageInfo!: PageInfo;

    @Directive("@semanticNonNull")
    @Field(() => TotalCount, {
      nullable: true,
      description:
        "Number of items of the whole list. Where Moraine keeps a counter, it is exact. Other lists are counted up to 1,000 items: a longer list has the count 1,000, and `isExact` is false.",
    })
    totalCount!: Page<Item>["totalCount"];

    @Directive('@tag(name: "rest")')
    @Field(() => String, { nullable: true, description: NEXT_PAGE_TOKEN })
    nextPageToken!: string | null;
  }
  return NodeConnection;
}
