import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Simulation } from "../simulation.ts";
import { answerAggregation } from "./aggregator.ts";
import { METHODS, MethodError } from "./node-methods.ts";

/** The node's HTTP interface. */
export interface NodeApi extends AsyncDisposable {
  readonly url: string;
}

/** A path of the simulator itself: given the body of a request, it returns what is answered as JSON. */
export type Control = (body: string) => unknown;

/** Serves the node's methods, the aggregator if it is configured, and the simulator's own paths on 127.0.0.1. */
export async function startNodeApi(
  simulation: Simulation,
  controls: Readonly<Record<string, Control>>,
): Promise<NodeApi> {
  const server = createServer((request, response) => {
    respond(simulation, controls, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(simulation.config.httpPort, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function respond(
  simulation: Simulation,
  controls: Readonly<Record<string, Control>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://node").pathname;
  const body = await text(request);
  const control = controls[path];
  if (control) return sendJson(response, 200, JSON.stringify(await control(body)));
  if (path === "/aggregate-signatures" && simulation.config.aggregator) {
    const answer = answerAggregation(simulation, body);
    return answer ? sendJson(response, answer.status, answer.body) : undefined;
  }
  const methods = METHODS[path];
  if (!methods) return void response.writeHead(404).end("404 page not found\n");
  sendJson(response, 200, JSON.stringify(answerCall(simulation, methods, body)));
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

function answerCall(simulation: Simulation, methods: (typeof METHODS)[string], body: string): unknown {
  const { id = null, method, params } = JSON.parse(body) as { id?: unknown; method?: unknown; params?: unknown }; // checked below
  const run = typeof method === "string" && Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!run)
    return { jsonrpc: "2.0", error: { code: -32000, message: `rpc: can't find method "${method}"`, data: null }, id };
  const given: unknown = Array.isArray(params) ? params[0] : params;
  try {
    const result = run(simulation, typeof given === "object" && given !== null ? { ...given } : {});
    return { jsonrpc: "2.0", result, id };
  } catch (error) {
    if (!(error instanceof MethodError)) throw error;
    return { jsonrpc: "2.0", error: { code: -32000, message: error.message, data: null }, id };
  }
}
