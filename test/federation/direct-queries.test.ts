import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { parse, validate } from "graphql";
import { createCallers } from "../../core/access/callers.ts";
import { createRateLimit } from "../../core/access/rate-limit.ts";
import { createAdmission } from "../../core/admission/admission.ts";
import { readBody } from "../../core/http/body.ts";
import { createLogger } from "../../core/logger.ts";
import { createLocalCounters } from "../../core/rate-counters.ts";
import { type RunningServer, startServer } from "../../core/server.ts";
import { createDirectQueries } from "../../gateway/direct/direct-queries.ts";
import { createPassThrough } from "../../gateway/pass-through.ts";
import { createKnownDocuments } from "../../gateway/pipeline/known-documents.ts";
import { createOperationCosts } from "../../gateway/pipeline/operation-cost.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { createEvmSubgraph, type EvmSubgraph } from "../../subgraphs/evm/subgraph.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { type Served, serveGraph } from "./served.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const TRANSFERS = `query Transfers($address: Address!, $size: Int, $currency: CurrencyCode) {
  it: erc20Transfers(chainId: "760011", address: $address, pageSize: $size) {
    transactions { value ...Sides erc20Token { symbol price(currency: $currency) { value } } }
  } }
  fragment Sides on Erc20Transfer { from { address name } sentTo: to { __typename address } }`;
const BLOCKS = `{ evmBlocks(chainId: "760012", pageSize: 3) { blocks { blockHash gasUsed } } }`;
const TWO = `{ a: evmBlocks(chainId: "760011", pageSize: 1) { blocks { blockHash } } b: evmBlocks(chainId: "1") { nextPageToken } }`;
/** A valid document of more than 1,000 characters, of which no operation has run. */
const NEW = `{ evmBlocks(chainId: "760012", pageSize: 3) { blocks { ${Array.from({ length: 40 }, (_, at) => `aFieldWithALongAlias${at}: gasUsed`).join(" ")} } } }`;

/** A long document of which an operation has run. */
const RUN = NEW.replaceAll("Long", "Short");

/** Status of requests that are left to the runtime. */
const LEFT = 599;

const LIMIT = 1_000_000_000;
/** With a requirement of a key, no request is answered directly. */
const WITH_RUNTIME = { keyRequirements: [{ routes: [], fields: ["Mutation.cancelOperation"] }] };

let database: Awaited<ReturnType<typeof indexedAlpha>>;
let evm: EvmSubgraph;
/** Answers requests of known documents, and no others. */
let direct: RunningServer;
/** A graph in which no request is answered directly. */
let runtime: Served;
beforeAll(async () => {
  database = await indexedAlpha();
  evm = await createEvmSubgraph({ config: database.config, database, logger });
  direct = await startDirect(LIMIT);
  runtime = await startRuntime(LIMIT);
});
afterAll(async () => {
  for (const resource of [runtime, direct, evm, database]) await resource[Symbol.asyncDispose]();
});

const logger = createLogger("fatal");

function startDirect(computeUnitsPerMinute: number): Promise<RunningServer> {
  const config = { ...database.config, computeUnitsPerMinute };
  const passThrough = createPassThrough(committedSupergraph(), [evm]);
  const { schema } = passThrough;
  const documents = createKnownDocuments();
  for (const query of [TRANSFERS, BLOCKS, TWO, NEW, RUN]) {
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    documents.addValid(document, null);
    if (query === RUN) documents.addRun(document);
  }
  const charge = createRateLimit(createLocalCounters(), Date.now);
  const queries = createDirectQueries({
    schema,
    passThrough,
    documents,
    costOf: createOperationCosts(),
    callers: createCallers(config, { charge }),
    charge,
    keyHeaders: config.keyHeaders,
    admission: createAdmission(config, logger),
    logger,
  });
  return startServer({
    host: "127.0.0.1",
    port: 0,
    idleGraceMs: 0,
    handler(request, response) {
      response.setHeader("x-request-id", String(request.headers["x-request-id"]));
      void readBody(request, config.bodyLimitBytes).then((body) => {
        if (request.method !== "POST" || !queries.answer(request, response, body)) response.writeHead(LEFT).end(body);
      });
    },
  });
}

function startRuntime(computeUnitsPerMinute: number): Promise<Served> {
  return serveGraph({ database, config: { ...database.config, ...WITH_RUNTIME, computeUnitsPerMinute } });
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function send(url: string, body: string, headers: OutgoingHttpHeaders = {}, method = "POST"): Promise<Answer> {
  const all = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { "x-request-id": "test", ...all } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode: status, headers: received } = response;
        resolve({ status, headers: received, body: Buffer.concat(chunks).toString("latin1") });
      });
    });
    request.on("error", reject).end(body);
  });
}

const urlOf = ({ port }: RunningServer): string => `http://127.0.0.1:${port}/graphql`;

const sendDirectly = (...[body, headers, method]: [string, OutgoingHttpHeaders?, string?]) =>
  send(urlOf(direct), body, headers, method);

/**
 * Headers of the connection and of the graph's own handler are left out. What is left of a limit, and for how long, depends on the requests
 * before this one.
 */
function comparable({ status, headers, body }: Answer) {
  const names = Object.keys(headers).filter(
    (name) =>
      !/^(date|connection|keep-alive|transfer-encoding|content-length|cache-control|x-(frame|content).*|referrer-policy)$/.test(
        name,
      ),
  );
  const comparableValue = (name: string) =>
    /^(ratelimit(-remaining|-reset)?|retry-after)$/.test(name)
      ? String(headers[name]).replace(/\d+/g, "0")
      : headers[name];
  return { status, body, headers: Object.fromEntries(names.sort().map((name) => [name, comparableValue(name)])) };
}

const json = (query: string, variables?: object | null, more: object = {}) =>
  JSON.stringify({ query, variables, ...more });

describe("a query that is answered without the runtime", () => {
  it.each<[what: string, body: string, headers?: OutgoingHttpHeaders]>([
    ["with variables", json(TRANSFERS, { address: WALLET, size: 5 })],
    ["with an operation name", json(TRANSFERS, { address: WALLET, currency: "eur" }, { operationName: "Transfers" })],
    ["without variables", json(BLOCKS)],
    ["with null as variables", json(BLOCKS, null)],
    ["with an invalid variable", json(TRANSFERS, { address: "0x12" })],
    ["without a required variable", json(TRANSFERS, {})],
    ["with an error of a resolver", json(TRANSFERS, { address: WALLET, size: 101 })],
    ["with an error of one of two fields", json(TWO)],
    [
      "that accepts the type of the GraphQL specification",
      json(BLOCKS),
      { accept: "application/graphql-response+json, application/json;q=0.9" },
    ],
    ["that accepts JSON", json(BLOCKS), { accept: "application/json" }],
    ["that accepts gzip", json(TRANSFERS, { address: WALLET, size: 20 }), { "accept-encoding": "gzip" }],
    ["of another origin", json(BLOCKS), { origin: "https://example.org" }],
    [
      "of another origin that accepts gzip",
      json(TRANSFERS, { address: WALLET, size: 20 }),
      { origin: "null", "accept-encoding": "gzip" },
    ],
  ])("%s has the status, headers and body that the runtime sends", async (_, ...[body, headers]) => {
    const answer = comparable(await sendDirectly(body, headers));
    expect(answer.status).not.toBe(LEFT);
    expect(answer).toEqual(comparable(await send(runtime.url, body, headers)));
  });

  it.each<[what: string, body: string, headers?: OutgoingHttpHeaders, method?: string]>([
    ["with an unknown document", json("{ chains { chains { chainId } } }")],
    ["with a long document that has not run", json(NEW)],
    ["with an unknown operation name", json(BLOCKS, {}, { operationName: "Other" })],
    ["with extensions", json(BLOCKS, {}, { extensions: {} })],
    ["with a list of queries", `[${json(BLOCKS)}]`],
    ["with wrong variables", json(BLOCKS, ["a"])],
    ["with a list of variables that is too long", json(BLOCKS, { list: Array.from({ length: 5_001 }, () => 1) })],
    ["without JSON", "{"],
    ["with a key", json(BLOCKS), { "x-glacier-api-key": "secret" }],
    ["with deep variables", json(BLOCKS, { list: JSON.parse(`${"[".repeat(1_000)}${"]".repeat(1_000)}`) })],
    ["of another type that begins like JSON", json(BLOCKS), { "content-type": "application/jsonx" }],
    ["with an internal token", json(BLOCKS), { "x-moraine-internal": "token" }],
    ["of another method", json(BLOCKS), {}, "PUT"],
    ["that accepts event streams only", json(BLOCKS), { accept: "text/event-stream" }],
    ["that accepts another character set", json(BLOCKS), { accept: "application/json; charset=latin1" }],
  ])("is none %s", async (_, ...[body, headers, method]) => {
    expect((await sendDirectly(body, headers, method)).status).toBe(LEFT);
  });

  it("with a long document is left to the runtime until it is compiled in a turn", async () => {
    expect((await sendDirectly(json(RUN))).status).toBe(LEFT);
    while ((await sendDirectly(json(RUN))).status === LEFT) await yieldToEventLoop();
    expect((await sendDirectly(json(RUN))).status).toBe(200);
  });

  it("leaves the body of a request with an unknown document to the runtime", async () => {
    const body = json("{ chains { chains { chainId } } }");
    expect((await sendDirectly(body)).body).toBe(body);
  });

  it("is refused like one that the runtime answers when the caller's limit is used up", async () => {
    await using limited = await startDirect(1);
    await using expected = await startRuntime(1);
    const body = json(BLOCKS);
    for (const status of [200, 429]) {
      const answer = comparable(await send(urlOf(limited), body));
      expect(answer).toMatchObject({ status, headers: { "ratelimit-limit": "1" } });
      expect({ ...answer, body: withoutSeconds(answer.body) }).toEqual(withoutTime(await send(expected.url, body)));
    }
    // It can never succeed, which the runtime says.
    expect((await send(urlOf(limited), json(TRANSFERS, { address: WALLET, size: 100 }))).status).toBe(LEFT);
  });
});

/** The message of a refusal says how many seconds are left. */
const withoutSeconds = (body: string): string => body.replace(/in \d+ s/, "in 0 s");

function withoutTime(answer: Answer) {
  const { body, ...rest } = comparable(answer);
  return { ...rest, body: withoutSeconds(body) };
}
