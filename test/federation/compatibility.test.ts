import { stripIgnoredCharacters } from "graphql";
import { startServer } from "../../core/http/server.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createSubgraphServer } from "../../subgraphs/shared/server/server.ts";
import { BOOKS, LIBRARY_SUBGRAPHS, librarySupergraph, READER, schema, sdl } from "./library-subgraph.ts";
import { type Served, serveGateway } from "./served.ts";

// The checks of Apollo's subgraph compatibility suite, for a subgraph that `buildFederatedSchema` builds.

let library: Served;
beforeAll(async () => {
  const served = await createSubgraphServer({ schema, context: () => ({}) }, createLogger("silent"));
  const server = await startServer({ host: "127.0.0.1", port: 0, handler: served.handler, upgrade: served.upgrade });
  library = {
    url: `http://127.0.0.1:${server.port}/graphql`,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
});
afterAll(() => library[Symbol.asyncDispose]());

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly path?: readonly unknown[]; readonly extensions?: { readonly code?: string } }[];
  readonly extensions?: unknown;
}

async function ask({ url }: Served, query: string, variables: object = {}, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}

function resolve(selection: string, ...representations: readonly object[]) {
  const query = `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${selection} } }`;
  return ask(library, query, { representations });
}

describe("the SDL of a subgraph", () => {
  const text = stripIgnoredCharacters(sdl);

  it("is the answer of _service", async () => {
    expect(await ask(library, "{ _service { sdl } }")).toEqual({ data: { _service: { sdl: expect.any(String) } } });
    expect(stripIgnoredCharacters(sdl)).toContain("type Query");
  });

  it("links one version of the federation specification, and imports the used directives", () => {
    const links = [
      ...text.matchAll(/@link\(url:"https:\/\/specs\.apollo\.dev\/federation\/v([\d.]+)" import:\[([^\]]*)\]/g),
    ];
    expect(links.map(([, version]) => version)).toEqual(["2.3"]);
    expect(links[0]?.[2]?.match(/@\w+/g)?.sort()).toEqual(
      [...new Set(text.match(/@(?!link|audited|deprecated|example|semanticNonNull)\w+/g))].sort(),
    );
  });

  it.each([
    [
      "@key, once and often",
      'type Book@key(fields:"id")@key(fields:"title edition")@key(fields:"title mark { room }")',
    ],
    ["@shareable, and a directive from the options", 'type Mark@shareable@tag(name:"public")'],
    ["@inaccessible", "heightMm:Int@inaccessible"],
    ["@tag", 'title:String!@tag(name:"public")'],
    ["@override", 'name:String@override(from:"people")'],
    ["@external", "loans:Int@external"],
    ["@requires", 'loansPerYear:Int@requires(fields:"loans years")'],
    ["@provides", 'reader:Reader!@provides(fields:"loans")'],
    ["@interfaceObject", 'type Document@key(fields:"id")@interfaceObject'],
    ["@composeDirective", '@composeDirective(name:"@audited")'],
    [
      "@link to the specification of a directive of its own",
      '@link(url:"https://moraine.example/audited/v1.0" import:["@audited"])',
    ],
    ["the definition of a directive of its own", "directive@audited on OBJECT"],
    ["a directive of its own on a type", '@key(fields:"title mark { room }")@audited'],
  ])("has %s", (_, part) => {
    expect(text.replace(/"""[^"]*"""|"[^":@]*\."/g, "").replaceAll("directive @", "directive@")).toContain(part);
  });
});

describe("the entities of a subgraph", () => {
  it("are found by a key of one field, of several fields, or of an object", async () => {
    const answer = await resolve(
      "... on Book { id title }",
      { __typename: "Book", id: "b1" },
      { __typename: "Book", title: "Ethics", edition: 2 },
      { __typename: "Book", title: "Optics", mark: { room: "south" } },
    );
    const [ethics, optics] = BOOKS.map(({ id, title }) => ({ id, title }));
    expect(answer).toEqual({ data: { _entities: [ethics, ethics, optics] } });
  });

  it("are answered together with one of an unknown type, which is null with an error", async () => {
    const unknown = [{ __typename: "Nothing", id: "b1" }, { id: "b1" }, { __typename: "Mark", room: "north" }];
    const { data, errors } = await resolve("... on Book { id }", { __typename: "Book", id: "b1" }, ...unknown);
    expect(data).toEqual({ _entities: [{ id: "b1" }, null, null, null] });
    expect(errors?.map(({ path, extensions }) => [path, extensions?.code])).toEqual(
      [1, 2, 3].map((at) => [["_entities", at], "INVALID_PARAMETER"]),
    );
  });

  it("have their fields that another subgraph provides", async () => {
    expect(await ask(library, '{ book(id: "b1") { reader { email loans } } }')).toEqual({
      data: { book: { reader: { email: READER.email, loans: 3 } } },
    });
  });

  it("have their inaccessible fields in the subgraph", async () => {
    expect(await ask(library, '{ book(id: "b1") { mark { heightMm } } }')).toEqual({
      data: { book: { mark: { heightMm: 210 } } },
    });
  });
});

describe("the trace of a subgraph", () => {
  it("is returned only to a router that requests it (ftv1)", async () => {
    const headers = { "apollo-federation-include-trace": "ftv1" };
    expect(await ask(library, "{ __typename }", {}, headers)).toEqual({
      data: { __typename: "Query" },
      extensions: { ftv1: expect.stringMatching(/^[\w+/]+=*$/) },
    });
    expect(await ask(library, "{ __typename }")).toEqual({ data: { __typename: "Query" } });
  });
});

describe("a gateway over a subgraph with every directive", () => {
  let gateway: Served;
  beforeAll(async () => {
    gateway = await serveGateway(LIBRARY_SUBGRAPHS, createLogger("silent"), librarySupergraph());
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each([
    ["@override takes the field from the other subgraph", "reader { name }", { reader: { name: READER.name } }],
    ["@requires gets the fields of the other subgraph", "reader { loansPerYear }", { reader: { loansPerYear: 3 } }],
    ["@shareable fields are answered", "mark { room }", { mark: { room: "north" } }],
  ])("%s", async (_, selection, book) => {
    expect(await ask(gateway, `{ book(id: "b1") { ${selection} } }`)).toEqual({ data: { book } });
  });

  it("@interfaceObject adds a field to an interface of the other subgraph", async () => {
    expect(await ask(gateway, "{ documents { id citedBy } }")).toEqual({
      data: { documents: [{ id: "l1", citedBy: "Ethics" }] },
    });
  });

  it("@inaccessible hides a field", async () => {
    const { errors } = await ask(gateway, '{ book(id: "b1") { mark { heightMm } } }');
    expect(errors?.map(({ extensions }) => extensions?.code)).toEqual(["GRAPHQL_VALIDATION_FAILED"]);
  });

  it("@composeDirective and @tag are in the supergraph", () => {
    expect(librarySupergraph()).toMatch(/type Book[^{]*@audited/);
    expect(librarySupergraph()).toContain('@tag(name: "public")');
  });
});
