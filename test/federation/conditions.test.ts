import { startServer } from "../../core/http/server.ts";
import { createLogger } from "../../core/observability/logger.ts";
import type { Subgraph } from "../../gateway/plan/subgraph.ts";
import { createSubgraphServer } from "../../subgraphs/shared/server/server.ts";
import { type Served, serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

const { supergraph, subgraphs } = createSmallSubgraphs();
const opened: AsyncDisposable[] = [];
const gateways: Record<string, Served> = {};

beforeAll(async () => {
  const logger = createLogger("silent");
  const remote: Subgraph[] = [];
  for (const { name, schema } of subgraphs) {
    const served = await createSubgraphServer({ schema, context: () => ({}) }, logger);
    const server = await startServer({ host: "127.0.0.1", port: 0, handler: served.handler, upgrade: served.upgrade });
    remote.push({ name, url: `http://127.0.0.1:${server.port}/graphql` });
    opened.push(server, served);
  }
  gateways["passed through"] = await serveGateway(subgraphs, logger, supergraph);
  gateways["run generally"] = await serveGateway(remote, logger, supergraph);
  opened.push(...Object.values(gateways));
});
afterAll(async () => {
  for (const resource of opened.reverse()) await resource[Symbol.asyncDispose]();
});

/**
 * Operations with `@skip`, `@include`, large integers and unsafe aliases, and their answers as text, which shows own properties only.
 */
const ANSWERS: readonly (readonly [operation: string, data: string])[] = [
  ["{ things @skip(if: true) { id } }", "{}"],
  ["{ things @include(if: false) { id } }", "{}"],
  ["{ ...F @skip(if: true) } fragment F on Query { things { id } }", "{}"],
  ["{ ...F } fragment F on Query { things @skip(if: true) { id } }", "{}"],
  ["{ ... @include(if: false) { things { id } } }", "{}"],
  ["mutation { change @skip(if: true) }", "{}"],
  ["mutation ($no: Boolean = false) { change @include(if: $no) }", "{}"],
  ["query ($yes: Boolean = true) { things @skip(if: $yes) { id } }", "{}"],
  ["query ($yes: Boolean = true) { things @skip(if: $yes) { id } count }", '{"count":2}'],
  ["{ __schema @skip(if: true) { queryType { name } } count }", '{"count":2}'],
  ["{ __typename @skip(if: true) count }", '{"count":2}'],
  ["subscription { changed @skip(if: true) { id } }", "{}"],
  ["subscription ($yes: Boolean = true) { changed @skip(if: $yes) { id } }", "{}"],
  ["subscription ($yes: Boolean = true) { ...F } fragment F on Subscription { changed @skip(if: $yes) { id } }", "{}"],
  ["{ thing { id @skip(if: true) } }", '{"thing":{}}'],
  ["{ thing { ...F @include(if: false) } } fragment F on Thing { id }", '{"thing":{}}'],
  ["{ thing { ... on Thing @skip(if: true) { id } } }", '{"thing":{}}'],
  ["{ things { size @skip(if: true) } }", '{"things":[{},{}]}'],
  ["{ thing { self { size @skip(if: true) } } }", '{"thing":{"self":{}}}'],
  ["query ($yes: Boolean = true) { thing { ...F @skip(if: $yes) } } fragment F on Thing { name size }", '{"thing":{}}'],
  [
    "query ($yes: Boolean = true) { thing { id @skip(if: $yes) @include(if: $yes) name } }",
    '{"thing":{"name":"first"}}',
  ],
  ["query ($yes: Boolean = true) { thing { id @skip(if: true) id @include(if: $yes) } }", '{"thing":{"id":"1"}}'],
  ["query ($no: Boolean = false) { thing { size @skip(if: $no) id @include(if: $no) } }", '{"thing":{"size":10}}'],
  // The planner parses no larger integers than 9223372036854775807.
  ["{ echo(id: 9223372036854775807) }", '{"echo":"9223372036854775807"}'],
  ["{ echo(id: 9223372036854775808) }", '{"echo":"9223372036854775808"}'],
  ["{ echo(id: -99999999999999999999) count }", '{"echo":"-99999999999999999999","count":2}'],
  ["query ($id: ID! = 99999999999999999999) { echo(id: $id) count }", '{"echo":"99999999999999999999","count":2}'],
  ["{ ...F } fragment F on Query { echo(id: 99999999999999999999) }", '{"echo":"99999999999999999999"}'],
  ["{ thing { __proto__: id } }", '{"thing":{"__proto__":"1"}}'],
  ["{ thing { __proto__: size constructor: name } }", '{"thing":{"__proto__":10,"constructor":"first"}}'],
  ["{ thing { __proto__: self { size } } }", '{"thing":{"__proto__":{"size":10}}}'],
  ["{ constructor: thing { name } count }", '{"constructor":{"name":"first"},"count":2}'],
  ["{ toString: thing { valueOf: size } count }", '{"toString":{"valueOf":10},"count":2}'],
  ["{ __proto__: count }", '{"__proto__":2}'],
  ["{ thing { __typename: name size } }", '{"thing":{"__typename":"first","size":10}}'],
  ["{ __proto__: things { id } }", '{"__proto__":[{"id":"1"},{"id":"2"}]}'],
  ["mutation { __proto__: change }", '{"__proto__":1}'],
  ["{ __schema { queryType { name } } count }", '{"__schema":{"queryType":{"name":"Query"}},"count":2}'],
  [
    '{ count __type(name: "Thing") { name } thing { size } }',
    '{"count":2,"__type":{"name":"Thing"},"thing":{"size":10}}',
  ],
  [
    "{ ...F } fragment F on Query { count ... { __schema { queryType { name } } } ...G } fragment G on Query { n: count }",
    '{"count":2,"__schema":{"queryType":{"name":"Query"}},"n":2}',
  ],
  ["{ ...F } fragment F on Query { __schema { queryType { name } } }", '{"__schema":{"queryType":{"name":"Query"}}}'],
  [
    "{ __proto__: __schema { queryType { name @skip(if: true) } } __typename }",
    '{"__proto__":{"queryType":{}},"__typename":"Query"}',
  ],
  ["{ __schema { queryType { __proto__: name } } }", '{"__schema":{"queryType":{"__proto__":"Query"}}}'],
];

async function post(url: string, query: string, variables: object = {}) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  return { status: response.status, text: await response.text() };
}

describe.each(["passed through", "run generally"])("an operation that is %s", (way) => {
  const ask = (query: string, variables?: object) => post(gateways[way]?.url ?? "", query, variables);

  it.each(ANSWERS)("%s is answered with %s", async (query, data) => {
    expect(await ask(query)).toEqual({ status: 200, text: `{"data":${data}}` });
  });

  it("reads the values of its conditions from the variables of each request", async () => {
    const query = "query ($yes: Boolean!) { thing { id @include(if: $yes) } }";
    const answers = [];
    for (const yes of [true, false, true]) answers.push((await ask(query, { yes })).text);
    expect(answers).toEqual([
      '{"data":{"thing":{"id":"1"}}}',
      '{"data":{"thing":{}}}',
      '{"data":{"thing":{"id":"1"}}}',
    ]);
  });

  it.each([
    ["missing", {}],
    ["null", { yes: null }],
    ["of another type", { yes: "true" }],
  ])("is refused if the variable of a condition is %s", async (_, variables) => {
    const { text } = await ask("query ($yes: Boolean!) { thing { id @include(if: $yes) } }", variables);
    const { data, errors } = JSON.parse(text);
    // Nothing has run, so there are no data.
    expect([data, errors[0].extensions.code]).toEqual([undefined, "INVALID_PARAMETER"]);
    expect(errors[0].message).toContain('"$yes"');
  });

  it("is refused if the variable of a condition is null", async () => {
    const { text } = await ask("query ($yes: Boolean = true) { thing { id @include(if: $yes) } }", { yes: null });
    const { data, errors } = JSON.parse(text);
    expect([data, errors.length, errors[0].extensions.code]).toEqual([undefined, 1, "INVALID_PARAMETER"]);
  });

  it("has the caller's aliases in the paths of its errors", async () => {
    const { text } = await ask("{ __proto__: thing { broken } }");
    expect(JSON.parse(text).errors).toEqual([
      { message: "internal error", path: ["__proto__", "broken"], extensions: { code: "INTERNAL" } },
    ]);
  });

  it("is refused if it subscribes to two fields, whatever their conditions are", async () => {
    const { text } = await ask(
      "subscription ($yes: Boolean!) { a: changed { id } b: changed @skip(if: $yes) { id } }",
      {
        yes: true,
      },
    );
    expect(JSON.parse(text).errors).toMatchObject([{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }]);
  });

  it("answers introspection although another field of the operation fails", async () => {
    const { text } = await ask("{ __schema { queryType { name } } thing { broken } }");
    const { data, errors } = JSON.parse(text);
    expect(data).toEqual({ __schema: { queryType: { name: "Query" } }, thing: { broken: null } });
    expect(errors).toMatchObject([{ path: ["thing", "broken"] }]);
  });

  it("changes no prototype", async () => {
    await ask("{ thing { __proto__: self { size } } things { __proto__: size } }");
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect((await ask("{ count }")).text).toBe('{"data":{"count":2}}');
  });
});
