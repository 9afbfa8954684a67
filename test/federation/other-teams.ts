import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { type GraphQLSchema, graphql, parse } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";
import type { GraphSettings } from "../../core/config/settings/graph.ts";
import { startServer } from "../../core/http/server.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createGatewayServer } from "../../gateway/gateway-server.ts";
import { type OpenGraph, type OpenGraphOptions, openGraph } from "../../gateway/open-graph.ts";
import { testConfig } from "../support/config.ts";

const FEDERATION = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"]) `;

/** How the server of another team treats a request: a status, or no answer on a closed or an open connection. */
type Treatment = number | "closes" | "hangs";

/** A subgraph of another team, on a port of its own, with a server that is not Moraine's. */
export interface OtherSubgraph extends AsyncDisposable {
  readonly url: string;
  /** The headers of its queries and mutations, but not of those for its SDL. */
  readonly headers: IncomingHttpHeaders[];
  /** The payloads of `connection_init`. */
  readonly inits: unknown[];
  /** What happens to the next requests. */
  readonly treatments: Treatment[];
  /** Replaces its schema. The port and the connections stay open. */
  change(sdl: string, resolvers: object): void;
}

export async function serveOther(sdl: string, resolvers: object): Promise<OtherSubgraph> {
  let schema: GraphQLSchema;
  const change: OtherSubgraph["change"] = (definitions, own) => {
    schema = buildSubgraphSchema({ typeDefs: parse(FEDERATION + definitions), resolvers: own as never });
  };
  change(sdl, resolvers);
  const headers: IncomingHttpHeaders[] = [];
  const inits: unknown[] = [];
  const treatments: Treatment[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const { query, variables } = JSON.parse(await text(request));
    if (!query.includes("_service")) headers.push(request.headers);
    const treatment = treatments.shift() ?? 200;
    if (treatment === "hangs") return;
    if (treatment === "closes") return void request.socket.destroy();
    response.writeHead(treatment, { "content-type": "application/json" });
    response.end(JSON.stringify(await graphql({ schema, source: query, variableValues: variables })));
  });
  const sockets = new WebSocketServer({ server });
  const subscriptions = useServer(
    { schema: () => schema, onConnect: ({ connectionParams }) => void inits.push(connectionParams) },
    sockets,
  );
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    headers,
    inits,
    treatments,
    change,
    async [Symbol.asyncDispose]() {
      await subscriptions.dispose();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Opens the graph of a setting, which is not polled, on a port of its own. */
export async function serveOpenGraph(
  graph: object,
  options: Partial<OpenGraphOptions> = {},
): Promise<AsyncDisposable & { readonly url: string; readonly opened: OpenGraph; readonly setting: GraphSettings }> {
  const config = {
    ...testConfig(),
    ...options.config,
    graph: testConfig({ graph: { pollIntervalMs: 0, ...graph } }).graph,
  };
  const { signal } = new AbortController();
  const logger = createLogger("silent");
  const opened = await openGraph({ own: [], ownSupergraph: null, signal, logger, ...options, config });
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, ...createGatewayServer(opened) });
  opened.startPolling();
  return {
    url: `http://127.0.0.1:${server.port}/graphql`,
    opened,
    setting: config.graph,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
