import { buildSubgraphSchema } from "@apollo/subgraph";
import { type ExecutionResult, parse } from "graphql";
import { createApiKeys } from "../../core/limits/access/api-keys.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";
import { testConfig } from "../support/config.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { LIBRARY_SUBGRAPHS, librarySupergraph, READER } from "./library-subgraph.ts";
import { ask, type Served, serveGateway, serveGraph } from "./served.ts";
import { overWebSocket } from "./subscribe.ts";

const SERVICE = "{ _service { sdl } }";
const quiet = createLogger("silent");

async function sdlOf({ url }: Served): Promise<string> {
  const { data } = (await ask(url, SERVICE)) as ExecutionResult<{ _service: { sdl: string } }>;
  return data?._service.sdl ?? "";
}

async function post({ url }: Served, query: string, variables: object, headers: Readonly<Record<string, string>> = {}) {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  const response = await fetch(url, { ...init, body: JSON.stringify({ query, variables }) });
  const body = (await response.json()) as ExecutionResult;
  return { ...body, status: response.status, units: response.headers.get("ratelimit-remaining") };
}

const codesOf = ({ errors = [] }: Pick<ExecutionResult, "errors">) =>
  errors.map(({ path, extensions }) => [path, extensions["code"]]);

describe("the entities of a graph", () => {
  let library: Served;
  beforeAll(async () => {
    library = await serveGateway(LIBRARY_SUBGRAPHS, quiet, librarySupergraph());
  });
  afterAll(() => library[Symbol.asyncDispose]());

  const entities = (selection: string, ...of: readonly unknown[]) =>
    post(library, `query ($of: [_Any!]!) { _entities(representations: $of) { ${selection} } }`, { of });

  it("are found by each of their keys, with fields of all subgraphs", async () => {
    const { data, errors } = await entities(
      "__typename ... on Book { id mark { room } reader { years } } ... on Reader { name loansPerYear }",
      { __typename: "Book", id: "b1" },
      { __typename: "Reader", email: READER.email, name: "ignored" },
      { __typename: "Book", title: "Optics", edition: 1 },
      { __typename: "Book", title: "Optics", mark: { room: "south" } },
    );
    expect(errors).toBeUndefined();
    const book = (id: string, room: string) => ({ __typename: "Book", id, mark: { room }, reader: { years: 4 } });
    expect(data).toEqual({
      _entities: [
        book("b1", "north"),
        { __typename: "Reader", name: READER.name, loansPerYear: 3 },
        book("b2", "south"),
        book("b2", "south"),
      ],
    });
  });

  it("are null if no subgraph knows them, without an error, also if all selected fields may be null", async () => {
    const { data, errors } = await entities("__typename ... on Book { edition }", { __typename: "Book", id: "none" });
    expect([data, errors]).toEqual([{ _entities: [null] }, undefined]);
  });

  it("are null with an error of their own for a representation that names none, beside all others", async () => {
    const { data, errors = [] } = await entities(
      "... on Book { title }",
      { __typename: "Mark", room: "north" },
      { __typename: "Book", title: "Ethics" },
      { __typename: "Book", id: ["b1"] },
      "b1",
      { __typename: "Book", id: "b1" },
    );
    expect(data).toEqual({ _entities: [null, null, null, null, { title: "Ethics" }] });
    expect(codesOf({ errors })).toEqual([0, 1, 2, 3].map((at) => [["_entities", at], "INVALID_PARAMETER"]));
    expect(errors[1]?.message).toBe(
      "a representation of Book must have the fields `id` or `title edition` or `title mark { room }`",
    );
  });

  it("are answered in several fields, beside other fields, with the aliases of the caller", async () => {
    const { data } = await post(
      library,
      `query Q($id: String = "b2") {
        book(id: "b1") { id: title }
        a: _entities(representations: [{ __typename: "Book", id: $id }]) { ...B }
        ...R
        __typename
      }
      fragment R on Query { b: _entities(representations: { __typename: "Book", id: "b1" }) { ... { ...B } } }
      fragment B on Book { id: edition t: __typename key: id }`,
      {},
    );
    expect(data).toEqual({
      book: { id: "Ethics" },
      a: [{ id: 1, t: "Book", key: "b2" }],
      b: [{ id: 2, t: "Book", key: "b1" }],
      __typename: "Query",
    });
  });

  it("are not in the answers of introspection", async () => {
    const { data } = await ask(
      library.url,
      '{ __schema { types { name } } __type(name: "Query") { fields { name } } }',
    );
    expect(JSON.stringify(data)).toContain("Reader");
    expect(JSON.stringify(data)).not.toMatch(/_entities|_service|_Any/);
  });

  it("are described by an SDL with tags and composed directives, and without what is inaccessible", async () => {
    const sdl = await sdlOf(library);
    expect(sdl).toContain('type Book @audited @key(fields: "id") @key(fields: "title edition")');
    expect(sdl).toContain('@composeDirective(name: "@audited")');
    expect(sdl).toContain('type Mark @shareable @tag(name: "public")');
    expect(sdl).not.toContain("heightMm");
    expect(() => composeSupergraph([{ name: "library", url: "http://library", sdl }])).not.toThrow();
  });
});

/** Subgraph of another team: it refers to entities of Moraine, by several keys, and adds fields to one of them. */
const TEAM = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
  type Query { favourites: [Favourite!]! teamPage: PageInfo }
  type Favourite { note: String! token: Erc20Token block: EvmBlock subnet: Subnet }
  type Erc20Token @key(fields: "chainId address") { chainId: String! address: Address! rating: Int }
  type EvmBlock @key(fields: "chainId blockHash", resolvable: false) { chainId: String! blockHash: Hash! }
  type Subnet @key(fields: "network subnetId", resolvable: false) { network: Network! subnetId: Id! }
  type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  enum Network { MAINNET FUJI TESTNET }
  scalar Address
  scalar Id
  scalar Hash`;

describe("Moraine as a subgraph of another gateway", () => {
  const opened: AsyncDisposable[] = [];
  const use = <Resource extends AsyncDisposable>(resource: Resource): Resource => {
    opened.unshift(resource);
    return resource;
  };
  let moraine: Served;
  let whole: Served;
  let token: { chainId: string; address: string };
  let block: { chainId: string; blockHash: string; blockNumber: string };
  beforeAll(async () => {
    const database = use(await indexedAlphaNetwork());
    moraine = use(await serveGraph({ database, config: database.config }));
    const { data } = await ask(
      moraine.url,
      '{ evmBlocks(chainId: "760011", first: 1) { nodes { chainId blockHash blockNumber } } }',
    );
    const { rows } = await database.pool.query<{ address: string }>(
      "SELECT '0x' || encode(token_address, 'hex') AS address FROM erc20_transfers WHERE chain_id = 760011 LIMIT 1",
    );
    token = { chainId: "760011", address: rows[0]?.address ?? "" };
    [block] = (data as never as { evmBlocks: { nodes: [typeof block] } }).evmBlocks.nodes;
    const sdl = await sdlOf(moraine);
    const supergraph = composeSupergraph([
      { name: "moraine", url: moraine.url, sdl },
      { name: "team", url: "http://team", sdl: TEAM },
    ]);
    const team: LocalSubgraph = {
      name: "team",
      context: () => ({}),
      schema: buildSubgraphSchema({
        typeDefs: parse(TEAM),
        resolvers: {
          Query: {
            favourites: () => [
              { note: "ours", token, block, subnet: { network: "FUJI", subnetId: `0x${"1".repeat(64)}` } },
            ],
          },
          Erc20Token: { __resolveReference: (key: object) => key, rating: () => 5 },
        } as never,
      }),
    };
    whole = use(await serveGateway([{ name: "moraine", url: moraine.url }, team], quiet, supergraph));
  });
  afterAll(async () => {
    for (const resource of opened) await resource[Symbol.asyncDispose]();
  });

  it("answers fields of its entities that the other subgraph refers to, by any of their keys", async () => {
    const { data, errors } = await ask(
      whole.url,
      "{ favourites { note token { rating ercType: decimals } block { blockNumber chain { chainName } } subnet { subnetId isL1 } } }",
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      favourites: [
        {
          note: "ours",
          token: { rating: 5, ercType: expect.any(Number) },
          block: { blockNumber: block.blockNumber, chain: { chainName: "C-Chain" } },
          subnet: null,
        },
      ],
    });
  });

  it("gets fields from the other subgraph, in queries and in events of a subscription", async () => {
    const query = `{ erc20Token(chainId: "760011", address: "${token.address}") { address rating } }`;
    expect((await ask(whole.url, query)).data).toMatchObject({ erc20Token: { rating: 5 } });
    const events = overWebSocket(
      whole.url,
      `subscription { blockAdded(chainId: "760011", fromBlock: "${block.blockNumber}") { blockHash erc20Transfers: transactions(first: 1) { nodes { chain { chainName } } } } }`,
    );
    expect((await events.next()).value).toMatchObject({ data: { blockAdded: { blockHash: block.blockHash } } });
    await events.return(undefined);
  });

  it("reports the error of a malformed key at its entity only", async () => {
    const of = [
      { __typename: "EvmBlock", chainId: "760011", blockHash: "0x1" },
      { __typename: "EvmBlock", ...block },
      { __typename: "Subnet", network: "NOWHERE", subnetId: "x" },
    ];
    const query = "query ($of: [_Any!]!) { _entities(representations: $of) { ... on EvmBlock { blockNumber } } }";
    const answer = await post(moraine, query, { of });
    expect(answer.data).toEqual({ _entities: [null, { blockNumber: block.blockNumber }, null] });
    expect(codesOf(answer).toSorted()).toEqual([0, 2].map((at) => [["_entities", at], "INVALID_PARAMETER"]));
  });
});

describe("limits of callers on entities", () => {
  const THINGS = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
    type Query { thing: Thing person: Person }
    type Thing @key(fields: "chainId") { chainId: String! name: String! }
    type Person @key(fields: "name") { name: String! age: Int }`;
  const known = { __resolveReference: (key: object) => key, name: () => "any", age: () => 1 };
  const things: LocalSubgraph = {
    name: "things",
    context: () => ({}),
    schema: buildSubgraphSchema({ typeDefs: parse(THINGS), resolvers: { Thing: known, Person: known } as never }),
  };
  const CHAIN = { nodeUrl: "http://127.0.0.1:1", chainName: "Any" };
  const config = testConfig({
    evmChains: [
      { ...CHAIN, chainId: 1, network: "mainnet" },
      { ...CHAIN, chainId: 2, network: "fuji" },
    ],
    computeUnitsPerMinute: 1_000,
    keyRequirements: [{ fields: ["Person.age"], scope: "people" }],
    apiKeys: [{ key: "a-key-of-fuji-0123456789", networks: ["fuji"], computeUnitsPerMinute: 1_000 }],
  });
  const supergraph = composeSupergraph([{ name: "things", url: "http://things", sdl: THINGS }]);
  const query =
    "query ($of: [_Any!]!) { _entities(representations: $of) { ... on Thing { name } ... on Person { name } } }";
  const thing = (chainId: unknown, others = {}) => ({ __typename: "Thing", chainId, ...others });
  let served: Served;
  beforeEach(async () => {
    served = await serveGateway([things], quiet, supergraph, config, {
      apiKeys: createApiKeys(config),
      nowMs: () => 0,
    });
  });
  afterEach(() => served[Symbol.asyncDispose]());

  it("charge each representation", async () => {
    expect(await post(served, query, { of: [thing("1")] })).toMatchObject({ status: 200, units: "999" });
    expect(await post(served, query, { of: Array(100).fill(thing("1")) })).toMatchObject({ units: "986" });
    expect(await post(served, SERVICE, {})).toMatchObject({ status: 200, units: "886" });
  });

  it("hold for the network of each representation, whatever fields it has beside its key", async () => {
    const asFuji = (...of: readonly object[]) =>
      post(served, query, { of }, { "x-service-api-key": "a-key-of-fuji-0123456789" });
    expect(await asFuji(thing("2"))).toMatchObject({ status: 200, data: { _entities: [{ name: "any" }] } });
    for (const of of [
      [thing("2"), thing("1")],
      [thing("1", { network: "FUJI" })],
      [{ __typename: "Person", name: "Ada", network: "FUJI" }],
    ])
      expect(await asFuji(...of)).toMatchObject({ status: 403, errors: [{ extensions: { code: "FORBIDDEN" } }] });
    expect(await asFuji(thing(1))).toMatchObject({ data: { _entities: [null] } });
  });

  it("hold for fields that need a key", async () => {
    const age = "query ($of: [_Any!]!) { _entities(representations: $of) { ... on Person { age } } }";
    expect(await post(served, age, { of: [{ __typename: "Person", name: "Ada" }] })).toMatchObject({ status: 401 });
  });
});
