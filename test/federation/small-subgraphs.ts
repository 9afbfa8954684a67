import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";

const THINGS_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { things(first: Int = 5): [Thing!]! thing: Thing echo(id: ID!): ID sorted(by: [Order!], range: Range): Thing }
  type Mutation { change: Int sort(by: Order): Int }
  type Subscription { changed: Thing sorting(by: Order): Thing }
  enum Order { ASCENDING DESCENDING }
  input Range { firstId: ID }
  type Thing @key(fields: "id") { id: String! name: String! broken: Int self: Thing! }`;

const SIZES_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { count: Int }
  type Thing @key(fields: "id") { id: String! size: Int! }`;

interface Thing {
  readonly id: string;
  readonly name: string;
}

const THINGS: readonly Thing[] = [
  { id: "1", name: "first" },
  { id: "2", name: "second" },
];

async function* changes(): AsyncGenerator<{ readonly changed: Thing | undefined }> {
  yield { changed: THINGS[0] };
}

/**
 * Two subgraphs without a database: `things` owns the entity `Thing`, `sizes` adds a field to it. The list of things comes after
 * `ready` resolves. The mutation calls `onChange`.
 */
export function createSmallSubgraphs(
  ready: () => Promise<void> | void = () => {},
  onChange: () => void = () => {},
): {
  readonly supergraph: string;
  readonly subgraphs: readonly LocalSubgraph[];
} {
  const things = {
    Query: {
      async things() {
        await ready();
        return THINGS;
      },
      thing: () => THINGS[0],
      sorted: () => THINGS[0],
      echo: (_: unknown, { id }: Pick<Thing, "id">) => id,
    },
    Mutation: {
      change() {
        onChange();
        return 1;
      },
      sort: () => 1,
    },
    Subscription: { changed: { subscribe: changes }, sorting: { subscribe: changes } },
    Thing: {
      __resolveReference: ({ id }: Thing) => THINGS.find((thing) => thing.id === id),
      self: (thing: Thing) => thing,
      broken: () => {
        throw new Error("a bug");
      },
    },
  };
  const sizes = {
    Query: { count: () => THINGS.length },
    Thing: { __resolveReference: (key: object) => key, size: ({ id }: Thing) => Number(id) * 10 },
  };
  return {
    supergraph: composeSupergraph([
      { name: "things", url: "http://things", sdl: THINGS_SDL },
      { name: "sizes", url: "http://sizes", sdl: SIZES_SDL },
    ]),
    subgraphs: [subgraph("things", THINGS_SDL, things), subgraph("sizes", SIZES_SDL, sizes)],
  };
}

function subgraph(name: string, sdl: string, resolvers: object): LocalSubgraph {
  return {
    name,
    schema: buildSubgraphSchema({ typeDefs: parse(sdl), resolvers: resolvers as never }),
    context: () => ({}),
  };
}
