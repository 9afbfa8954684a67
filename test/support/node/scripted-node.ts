import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

export interface ScriptedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The answer to one HTTP request; with `null` the request is never answered. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly delayMs?: number;
}

/** An HTTP server whose answers a test determines for each request. */
export interface ScriptedNode extends AsyncDisposable {
  readonly url: string;
  /** The calls of each request, in order. */
  readonly requests: ScriptedCall[][];
  /** The headers of each request, in order. */
  readonly headers: IncomingHttpHeaders[];
}

/** Starts the server. `answer` gets the calls of a request and the request's number, from 1. */
export async function startScriptedNode(
  answer: (calls: ScriptedCall[], request: number) => ScriptedAnswer | null,
): Promise<ScriptedNode> {
  const requests: ScriptedCall[][] = [];
  const received: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const parsed: ScriptedCall | ScriptedCall[] = JSON.parse(await text(request));
    const calls = [parsed].flat();
    requests.push(calls);
    received.push(request.headers);
    const scripted = answer(calls, requests.length);
    if (!scripted) return;
    const { status = 200, headers = {}, body = "", delayMs = 0 } = scripted;
    await sleep(delayMs);
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { url: `http://127.0.0.1:${port}`, requests, headers: received, [Symbol.asyncDispose]: () => stop(server) };
}

/** Answers in the form of the calls: a single one or a batch. */
export function results(calls: readonly ScriptedCall[], resultOf: (call: ScriptedCall) => unknown): unknown {
  const answers = calls.map((call) => ({ jsonrpc: "2.0", id: call.id, result: resultOf(call) }));
  return answers.length === 1 ? answers[0] : answers;
}

async function stop(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
