import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createGatewayRuntime, getGraphQLWSOptions } from "@graphql-hive/gateway-runtime";
import { unifiedGraphHandler } from "@graphql-hive/router-runtime";
import { renderGraphiQL } from "@graphql-yoga/render-graphiql";
import { buildSchema, type ExecutionResult, parse } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";
import type { GraphClient, Operation } from "../core/graph-client.ts";
import type { Logger } from "../core/logger.ts";
import { shownError } from "./errors.ts";
import { createTransport } from "./executor.ts";
import { createPassThrough } from "./pass-through.ts";
import type { Subgraph } from "./subgraph.ts";
import { type GraphContext, useErrors } from "./use-errors.ts";
import { useOperationLimits } from "./use-operation-limits.ts";
import { usePassThrough } from "./use-pass-through.ts";
import { useRequestId } from "./use-request-id.ts";

export const GRAPHQL_PATH = "/graphql";

/** What GraphiQL shows at first. */
const DEFAULT_QUERY = `{
  chains {
    chains {
      chainId
      chainName
      indexing { state blockNumber }
    }
  }
}
`;

/** The one graph: for clients in this process, over HTTP (with SSE) and over graphql-ws. */
export interface Graph extends GraphClient, AsyncDisposable {
  /** Answers requests to `/graphql`. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Ends all subscriptions, those over WebSocket with code 1001. */
  endSubscriptions(): void;
  /** Takes WebSockets. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface GraphOptions {
  readonly supergraph: string;
  readonly subgraphs: readonly Subgraph[];
  readonly logger: Logger;
  /** Largest request body. */
  readonly bodyLimitBytes: number;
}

/** Builds the gateway over the subgraphs. Nothing is sent to a subgraph before the first operation. */
export function createGraph({ supergraph, subgraphs, logger, bodyLimitBytes }: GraphOptions): Graph {
  const passThrough = createPassThrough(supergraph, subgraphs);
  const transport = createTransport(subgraphs);
  const runtime = createGatewayRuntime<GraphContext>({
    supergraph,
    unifiedGraphHandler,
    transports: { http: transport },
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    healthCheckEndpoint: "/health-of-the-gateway",
    renderGraphiQL,
    graphiql: {
      title: "Moraine",
      defaultQuery: DEFAULT_QUERY,
    },
    maskedErrors: false,
    logging: false,
    cors: { origin: "*", credentials: false, exposedHeaders: ["x-request-id"] },
    plugins: () => [useRequestId(), useOperationLimits(), usePassThrough(passThrough), useErrors(logger)],
  });
  // Of a program's own documents, which are few: dialects and listeners share them.
  const operations = new Map<string, Operation>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1 << 20 });
  const socketOptions = getGraphQLWSOptions(runtime, (socket) => ({
    req: (socket.extra as { request?: IncomingMessage }).request,
  }));
  const served = useServer(
    {
      ...socketOptions,
      // The runtime reads the supergraph at its first request, which a socket is not.
      onConnect: async () => {
        await runtime.getSchema();
      },
    },
    sockets,
  );
  return {
    schema: buildSchema(passThrough.consumerSdl),
    prepare(document) {
      const operation = operations.get(document) ?? prepare(document);
      operations.set(document, operation);
      return operation;
    },
    handle(request, response) {
      const refusal = refusalOf(request, bodyLimitBytes);
      if (refusal) return refuse(response, refusal);
      // The runtime makes a URL of it, and a malformed one must not get that far.
      request.headers.host = "graph";
      void runtime(request, response);
    },
    endSubscriptions() {
      for (const socket of sockets.clients) socket.close(1001, "Going away");
    },
    upgrade(request, socket, head) {
      sockets.handleUpgrade(request, socket, head, (webSocket) => sockets.emit("connection", webSocket, request));
    },
    async [Symbol.asyncDispose]() {
      await served.dispose();
      await runtime[Symbol.asyncDispose]();
    },
  };

  function prepare(document: string): Operation {
    const direct = passThrough.compile(document, null);
    parse(document);
    return async (variables, request) => {
      if (!direct) return general(document, variables, request.requestId);
      const result = await direct(variables, request);
      return result.errors
        ? { ...result, errors: result.errors.map((error) => shownError(error, request.requestId, logger)) }
        : result;
    };
  }

  /** The general way, through the gateway's own front door: what a caller over HTTP would get. */
  async function general(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    requestId: string,
  ): Promise<ExecutionResult> {
    const headers = { "content-type": "application/json", accept: "application/json", "x-request-id": requestId };
    const response = await runtime.fetch(`http://graph${GRAPHQL_PATH}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as ExecutionResult;
  }
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** What is refused before the body is read; a body of unknown length is, too. */
function refusalOf({ method, headers }: IncomingMessage, bodyLimitBytes: number): Refusal | null {
  if (method !== "POST") return null;
  if (headers["transfer-encoding"]) return { status: 411, message: "the request must say its content-length" };
  return Number(headers["content-length"] ?? 0) > bodyLimitBytes
    ? { status: 413, message: `the body must be of at most ${bodyLimitBytes} bytes` }
    : null;
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  const text = JSON.stringify({ errors: [{ message, extensions: { code: "INVALID_PARAMETER" } }] });
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  response.end(text);
}
