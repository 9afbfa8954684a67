import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { startServer } from "../../core/http/server.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { LocalSubgraph, RemoteSubgraph } from "../../gateway/plan/subgraph.ts";
import { createSubgraphServer } from "../../subgraphs/shared/server/server.ts";
import { type Served, serveGateway } from "./served.ts";
import { overSse } from "./subscribe.ts";

const link = (...names: readonly string[]) =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ${JSON.stringify(names)})`;

/** Knows the types of media. */
const CATALOG = `
  ${link("@key", "@inaccessible", "@shareable")}
  type Query { media: [Media] byId(id: ID!): Media items: [Item] status: Status first: Book states: [Status] broken: String }
  type Mutation { rename(id: ID!, title: String): Book again(id: ID!): Book renameAll(title: String): [Media] }
  type Subscription { added: Book }
  interface Media @key(fields: "id") { id: ID! title: String }
  type Book implements Media @key(fields: "id") { id: ID! title: String author: Person pages: Int }
  type Film implements Media @key(fields: "id") { id: ID! title: String director: Person minutes: Int }
  type Secret @inaccessible { id: ID! }
  union Item = Book | Film | Secret
  enum Status { OPEN CLOSED HIDDEN @inaccessible }
  type Person @key(fields: "name") { name: String! age: Int }`;

/** Adds fields to all media, whose types it does not know, and to people. */
const REVIEWS = `
  ${link("@key", "@interfaceObject", "@external", "@requires")}
  type Query { reviewed: [Media] }
  type Media @key(fields: "id") @interfaceObject { id: ID! score: Int }
  type Person @key(fields: "name") { name: String! fans: Int age: Int @external generation: String @requires(fields: "age") }`;

interface Media {
  readonly __typename: string;
  readonly id: string;
  readonly title: string;
}

const MEDIA: readonly Media[] = [
  { __typename: "Book", id: "b1", title: "One" },
  { __typename: "Film", id: "f1", title: "Two" },
];
const byId = ({ id }: { readonly id: string }) => MEDIA.find((one) => one.id === id) ?? null;
const book = () => MEDIA[0];
const changed: string[] = [];

async function* added() {
  yield { added: MEDIA[0] };
}

const catalog = {
  Query: {
    media: () => MEDIA,
    byId: (_: unknown, args: { readonly id: string }) => byId(args),
    items: () => [...MEDIA, { __typename: "Secret", id: "s1" }],
    status: () => "HIDDEN",
    states: () => ["OPEN", "HIDDEN"],
    first: book,
    broken: () => {
      throw new Error("a secret of the subgraph");
    },
  },
  Mutation: {
    rename(_: unknown, { title }: { readonly title: string }) {
      changed.push(title);
      return book();
    },
    again: book,
    renameAll(_: unknown, { title }: { readonly title: string }) {
      changed.push(title);
      return MEDIA;
    },
  },
  Subscription: { added: { subscribe: added } },
  Media: { __resolveReference: byId, __resolveType: ({ __typename }: Media) => __typename },
  Book: { __resolveReference: byId, author: () => ({ name: "Ada" }), pages: () => 100 },
  Film: { __resolveReference: byId, director: () => ({ name: "Bob" }), minutes: () => 90 },
  Item: { __resolveType: ({ __typename }: Media) => __typename },
  Person: { __resolveReference: (key: object) => key, age: () => 36 },
};

const reviews = {
  Query: { reviewed: () => MEDIA.map(({ id }) => ({ id })) },
  Media: {
    __resolveReference: (key: object) => key,
    score: ({ id }: Media) => id.length,
  },
  Person: {
    __resolveReference: (key: object) => key,
    fans: ({ name }: { readonly name: string }) => name.length,
    generation: ({ age }: { readonly age?: number }) => `those of ${age}`,
  },
};

function subgraph(name: string, sdl: string, resolvers: object): LocalSubgraph {
  const schema = buildSubgraphSchema({ typeDefs: parse(sdl), resolvers: resolvers as never });
  return { name, schema, context: () => ({}) };
}

const SUBGRAPHS = [subgraph("catalog", CATALOG, catalog), subgraph("reviews", REVIEWS, reviews)];
const supergraph = composeSupergraph([
  { name: "catalog", url: "http://catalog", sdl: CATALOG },
  { name: "reviews", url: "http://reviews", sdl: REVIEWS },
]);

const opened: AsyncDisposable[] = [];
const gateways: Record<string, Served> = {};
beforeAll(async () => {
  const logger = createLogger("silent");
  const remote: RemoteSubgraph[] = [];
  for (const { name, schema } of SUBGRAPHS) {
    const served = await createSubgraphServer({ schema, context: () => ({}) }, logger);
    const { handler, upgrade } = served;
    const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler, upgrade });
    remote.push({ name, url: `http://127.0.0.1:${server.port}/graphql` });
    opened.push(server, served);
  }
  gateways["in this process"] = await serveGateway(SUBGRAPHS, logger, supergraph);
  gateways["in processes of their own"] = await serveGateway(remote, logger, supergraph);
  opened.push(...Object.values(gateways));
});
afterAll(async () => {
  for (const resource of opened.reverse()) await resource[Symbol.asyncDispose]();
});

/** Operations and the text of their data, which shows the order of keys. */
const ANSWERS: readonly (readonly [what: string, operation: string, data: string])[] = [
  [
    "no type name that was not asked for",
    "{ media { id ... on Book { pages } } }",
    '{"media":[{"id":"b1","pages":100},{"id":"f1"}]}',
  ],
  [
    "the objects of an interface whose types nobody asks for",
    "{ t: __typename media { id } }",
    '{"t":"Query","media":[{"id":"b1"},{"id":"f1"}]}',
  ],
  [
    "fields in the order of the operation",
    "{ __typename first { pages id } status }",
    '{"__typename":"Query","first":{"pages":100,"id":"b1"},"status":null}',
  ],
  ["null for a hidden value of an enum", "{ status states }", '{"status":null,"states":["OPEN",null]}'],
  [
    "null for an object of a hidden type",
    "{ items { ... on Film { minutes } __typename } }",
    '{"items":[{"__typename":"Book"},{"minutes":90,"__typename":"Film"},null]}',
  ],
  [
    "fields of one key once, with all of their selections",
    "{ media { id } media { ... on Film { minutes } title } }",
    '{"media":[{"id":"b1","title":"One"},{"id":"f1","minutes":90,"title":"Two"}]}',
  ],
  [
    "fields of entities below conditions on types",
    "{ media { ... on Book { author { fans } } ... on Film { director { fans name } } } }",
    '{"media":[{"author":{"fans":3}},{"director":{"fans":3,"name":"Bob"}}]}',
  ],
  [
    "fields of an interface that is an object of a subgraph",
    "{ media { score id } }",
    '{"media":[{"score":2,"id":"b1"},{"score":2,"id":"f1"}]}',
  ],
  [
    "the objects of such an interface",
    "{ reviewed { id title score } }",
    '{"reviewed":[{"id":"b1","title":"One","score":2},{"id":"f1","title":"Two","score":2}]}',
  ],
  [
    "fields that require others",
    "{ first { author { generation } } }",
    '{"first":{"author":{"generation":"those of 36"}}}',
  ],
  [
    "mutations one after the other, with fields of other subgraphs",
    'mutation { a: rename(id: "b1", title: "x") { author { fans } } b: again(id: "b1") { id } c: rename(id: "b1", title: "y") { id } }',
    '{"a":{"author":{"fans":3}},"b":{"id":"b1"},"c":{"id":"b1"}}',
  ],
  [
    "fields of one key of a mutation once, whose list is not doubled",
    'mutation { all: renameAll(title: "x") { id } all: renameAll(title: "x") { title } b: rename(id: "b1", title: "y") { id } }',
    '{"all":[{"id":"b1","title":"One"},{"id":"f1","title":"Two"}],"b":{"id":"b1"}}',
  ],
];

describe.each(["in this process", "in processes of their own"])("over subgraphs %s, an answer has", (form) => {
  const url = () => gateways[form]?.url ?? "";

  it.each(ANSWERS)("%s, whenever it is sent: %s", async (_, query, data) => {
    changed.length = 0;
    for (let time = 1; time <= 3; time++) {
      const headers = { "content-type": "application/json" };
      const response = await fetch(url(), { method: "POST", headers, body: JSON.stringify({ query }) });
      expect(await response.text()).toBe(`{"data":${data}}`);
    }
    if (query.startsWith("mutation")) expect(changed).toEqual(["x", "y", "x", "y", "x", "y"]);
  });

  it.each(["{ broken }", "{ broken media { score } }"])(
    "no text of an error that a subgraph did not expect, whenever it is sent: %s",
    async (query) => {
      for (let time = 1; time <= 3; time++) {
        const headers = { "content-type": "application/json" };
        const response = await fetch(url(), { method: "POST", headers, body: JSON.stringify({ query }) });
        const text = await response.text();
        expect(text).not.toContain("secret");
        expect(JSON.parse(text)).toMatchObject({
          errors: [{ message: expect.stringMatching(/^(unexpected|internal) error/), path: ["broken"] }],
        });
      }
    },
  );

  it("fields of other subgraphs in the events of a subscription", async () => {
    const events = overSse(url(), "subscription { added { title author { fans } } }");
    expect((await events.next()).value).toEqual({ data: { added: { title: "One", author: { fans: 3 } } } });
    await events.return(undefined);
  });
});
