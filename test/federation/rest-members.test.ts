import { buildSubgraphSchema } from "@apollo/subgraph";
import { type ExecutionResult, type IntrospectionObjectType, type IntrospectionQuery, parse } from "graphql";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import { ask, serveGateway } from "./served.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@tag"])
  type Query {
    book(id: ID!, width: Width @tag(name: "rest")): Book
    list(unit: Unit): Page @tag(name: "rest")
  }
  type Book { title: String @tag(name: "other") titleInCapitals: String @tag(name: "rest") }
  type Page { books: [Book] }
  enum Unit { MM }
  input Width { mm: Int }`;

const BOOK = { title: "One", titleInCapitals: "ONE" };
const schema = buildSubgraphSchema({
  typeDefs: parse(SDL),
  resolvers: { Query: { book: () => BOOK, list: () => ({ books: [BOOK] }) } },
});
const supergraph = composeSupergraph([{ name: "library", url: "http://library", sdl: SDL }]);

let served: Awaited<ReturnType<typeof serveGateway>>;
beforeAll(async () => {
  served = await serveGateway([{ name: "library", schema, context: () => ({}) }], createLogger("silent"), supergraph);
});
afterAll(() => served[Symbol.asyncDispose]());

const ofRest = { [SCHEMA_HEADER]: REST_SCHEMA };
const TYPES = "{ __schema { types { name fields { name args { name } } } } }";

/** The names of the types of the schema that are no part of GraphQL itself, and the root fields with their arguments. */
function seenIn({ data }: ExecutionResult) {
  const { types } = (data as unknown as IntrospectionQuery).__schema;
  const query = types.find(({ name }) => name === "Query") as IntrospectionObjectType;
  return {
    types: types.map(({ name }) => name).filter((name) => ["Book", "Page", "Unit", "Width"].includes(name)),
    fields: query.fields.map(({ name, args }) => [name, ...args.map((one) => one.name)].join()),
  };
}

describe("what has the tag `rest`", () => {
  it("is not in the schema that callers see, with the types that only it has", async () => {
    expect(seenIn(await ask(served.url, TYPES))).toEqual({ types: ["Book"], fields: ["book,id"] });
  });

  it.each([
    ["a field", '{ book(id: "1") { titleInCapitals } }', 'Cannot query field "titleInCapitals" on type "Book".'],
    ["a root field", "{ list { books { title } } }", 'Cannot query field "list" on type "Query".'],
    [
      "an argument",
      '{ book(id: "1", width: { mm: 1 }) { title } }',
      'Unknown argument "width" on field "Query.book". Did you mean "id"?',
    ],
    ["a type", '{ __type(name: "Page") { name } }', null],
  ])("cannot be used by callers: %s", async (_what, query, message) => {
    const { data, errors } = await ask(served.url, query);
    expect([data?.["__type"] ?? null, errors?.[0]?.message ?? null]).toEqual([null, message]);
  });

  it("can be used by operations that are prepared in this process, and by REST in a process of its own", async () => {
    const query = '{ book(id: "1", width: { mm: 1 }) { titleInCapitals } list { books { title } } }';
    const data = { book: { titleInCapitals: "ONE" }, list: { books: [{ title: "One" }] } };
    expect(await served.graph.prepare(query)({}, { work: createWork(), requestId: "test" })).toEqual({ data });
    expect(await ask(served.url, query, ofRest)).toEqual({ data });
    expect(seenIn(await ask(served.url, TYPES, ofRest))).toEqual({
      types: expect.arrayContaining(["Book", "Page", "Unit", "Width"]),
      fields: ["book,id,width", "list,unit"],
    });
  });
});
