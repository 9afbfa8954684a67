import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { startServer } from "../../core/http/server.ts";
import { createLogger } from "../../core/observability/logger.ts";
import type { Subgraph } from "../../gateway/plan/subgraph.ts";
import { createSubgraphServer } from "../../subgraphs/shared/server/server.ts";
import { testConfig } from "../support/config.ts";
import { type Served, serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

const { supergraph, subgraphs } = createSmallSubgraphs();
const config = testConfig({ graphql: { introspection: false } });
const logger = createLogger("silent");

/** Starts the gateway over the same subgraphs on servers of their own. */
async function serveRemotely(): Promise<Served> {
  const remote: Subgraph[] = [];
  const opened: AsyncDisposable[] = [];
  for (const { name, schema } of subgraphs) {
    const served = await createSubgraphServer({ schema, context: () => ({}) }, logger);
    const { handler, upgrade } = served;
    const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler, upgrade });
    remote.push({ name, url: `http://127.0.0.1:${server.port}/graphql` });
    opened.push(served, server);
  }
  const gateway = await serveGateway(remote, logger, supergraph, config);
  return {
    url: gateway.url,
    async [Symbol.asyncDispose]() {
      for (const resource of [gateway, ...opened]) await resource[Symbol.asyncDispose]();
    },
  };
}

const WRONG = { by: "ASCENDIN", range: { firstI: 1 } };
const ORDER = "query ($by: [Order!], $yes: Boolean = true)";

const OPERATIONS: Readonly<Record<string, string>> = {
  "a field": "{ count sortd { id } }",
  "a literal": "{ sorted(by: ASCENDIN) { id } }",
  "an argument": "{ sorted(b: ASCENDING) { id } }",
  "a type": "query ($by: Ordr) { sorted(by: $by) { id } }",
  "a variable": `${ORDER} { sorted(by: $by) { id } }`,
  "a variable beside a condition": `${ORDER} { sorted(by: $by) { id @include(if: $yes) } }`,
  "a variable of an operation for two subgraphs": `${ORDER} { sorted(by: $by) { id size } count }`,
  "a member of a variable": "query ($range: Range) { sorted(range: $range) { id @skip(if: false) } count }",
  "a variable of a mutation": "mutation ($by: Order) { sort(by: $by) }",
  "a variable of a mutation beside a condition": "mutation ($by: Order) { sort(by: $by) @include(if: true) }",
  "a variable of a subscription": "subscription ($by: Order) { sorting(by: $by) { id } }",
  "a variable of a subscription beside a condition":
    "subscription ($by: Order) { sorting(by: $by) { id @include(if: true) } }",
};

describe.each([
  ["in this process", () => serveGateway(subgraphs, logger, supergraph, config)],
  ["in processes of their own", serveRemotely],
] as const)("without introspection, over subgraphs %s, no error suggests a name", (_, start) => {
  let served: Served;
  beforeAll(async () => {
    served = await start();
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it.each(Object.entries(OPERATIONS))("for a wrong name of %s", async (_what, query) => {
    const body = JSON.stringify({ query, variables: WRONG });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const answers: string[] = [];
    // The second answer comes from what was prepared for the first one.
    for (let i = 0; i < 2; i++) answers.push(await (await fetch(served.url, { method: "POST", headers, body })).text());
    const client = createClient({ url: served.url.replace("http", "ws"), webSocketImpl: WebSocket, retryAttempts: 0 });
    const overSocket = await client
      .iterate({ query, variables: WRONG })
      .next()
      .catch((errors: unknown) => ({ value: { errors } }));
    await client.dispose();
    answers.push(JSON.stringify(overSocket.value));
    for (const answer of answers) {
      expect(answer).toContain('"errors":[{"message":"');
      expect(answer).not.toMatch(/did you mean/i);
    }
  });
});
