import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createManualClock, createRecordingClock } from "../../../test/support/clock.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { selfSigned } from "../../../test/support/node/certificate.ts";
import {
  results,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedNode,
  startScriptedNode,
} from "../../../test/support/node/scripted-node.ts";
import { NodeUnavailable, RpcError } from "./errors.ts";
import { createNodeClient, type NodeClientOptions } from "./node-client.ts";

const callsOf = (count: number) => Array.from({ length: count }, (_, i) => ({ method: "echo", params: [i] }));
const echo = (calls: readonly ScriptedCall[]): ScriptedAnswer => ({ body: results(calls, ({ params }) => params[0]) });
const echoes = (count: number) => Array.from({ length: count }, (_, result) => ({ result }));
const refusal = (code: number, message: string) => ({ jsonrpc: "2.0", id: null, error: { code, message } });

const stopped = new AbortController();
const clientOf = ({ url }: ScriptedNode, options: Partial<NodeClientOptions> = {}) =>
  createNodeClient({
    url,
    headers: {},
    requestTimeoutMs: 2_000,
    maxConcurrency: 8,
    maxBatchSize: 100,
    signal: stopped.signal,
    clock: createRecordingClock(),
    ...options,
  });

/** Returns the error with which a promise is rejected; null if it resolves. */
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe("calls", () => {
  it("are spread over requests, and answered in their order", async () => {
    await using node = await startScriptedNode((calls) => {
      const { body } = echo(calls);
      return { body: Array.isArray(body) ? body.toReversed() : body };
    });
    await using client = clientOf(node);
    expect(await client.callAll(callsOf(101))).toEqual(echoes(101));
    expect(node.requests.map(({ length }) => length).sort((a, b) => b - a)).toEqual([20, 20, 20, 20, 20, 1]);
    expect(await client.callAll([])).toEqual([]);
  });

  it("have the configured headers", async () => {
    await using node = await startScriptedNode(echo);
    await using client = clientOf(node, { headers: { authorization: "Bearer k" } });
    expect(await client.call("echo", [5])).toBe(5);
    expect(node.headers[0]).toMatchObject({ authorization: "Bearer k", "content-type": "application/json" });
  });

  it.each(["ASCII", "é", "日本", "🏔"])("are answered with texts in UTF-8 such as %s", async (text) => {
    const mark = text === "ASCII" ? "" : "\uFEFF";
    await using node = await startScriptedNode((calls) => ({
      body: mark + JSON.stringify(results(calls, () => text)),
    }));
    await using client = clientOf(node);
    expect(await client.call("echo", [])).toBe(text);
  });

  it("that the node refuses return the error of the node and are not repeated", async () => {
    await using node = await startScriptedNode(([call]) => ({
      body: { ...refusal(3, "execution reverted"), id: call?.id },
    }));
    await using client = clientOf(node);
    expect(await client.callAll(callsOf(1))).toEqual([new RpcError(3, "execution reverted")]);
    await expect(client.call("echo", [])).rejects.toBeInstanceOf(RpcError);
    expect(node.requests).toHaveLength(2);
  });

  it("that the node cannot parse return the error of the node, which has no id", async () => {
    await using node = await startScriptedNode(() => ({ body: refusal(-32700, "parse error") }));
    await using client = clientOf(node);
    await expect(client.call("echo", [])).rejects.toThrow("parse error");
  });

  it("are sent in at most the configured number of concurrent requests", async () => {
    let inFlight = 0;
    let most = 0;
    await using node = await startScriptedNode((calls) => {
      most = Math.max(most, ++inFlight);
      setTimeout(() => inFlight--, 4);
      return { ...echo(calls), delayMs: 5 };
    });
    await using client = clientOf(node, { maxConcurrency: 3, maxBatchSize: 2 });
    await Promise.all([client.callAll(callsOf(60)), client.callAll(callsOf(60))]);
    expect(most).toBe(3);
  });
});

describe("a request that fails", () => {
  it.concurrent.each<[what: string, failure: ScriptedAnswer]>([
    ["by its status", { status: 503 }],
    ["by a body that is not JSON", { body: "<html>" }],
    ["by an error code for a rate limit", { body: { ...refusal(-32005, "limit exceeded"), id: 0 } }],
    ["by the answer to another call", { body: { jsonrpc: "2.0", id: 7, result: 1 } }],
    ["by an answer without result", { body: { jsonrpc: "2.0", id: 0 } }],
    ["by a batch", { body: [] }],
  ])("%s is retried", async (_what, failure) => {
    await using node = await startScriptedNode((calls, request) => (request < 3 ? failure : echo(calls)));
    await using client = clientOf(node);
    expect(await client.call("echo", [1])).toBe(1);
    expect(client.limits.concurrency).toBeLessThan(4);
  });

  it("five times is not retried, and only the detail of the error has the address of the node, without the path", async () => {
    await using node = await startScriptedNode(() => ({ status: 500 }));
    await using client = clientOf({ ...node, url: `${node.url}/secret-key/rpc` });
    const failure = await failureOf(client.call("echo", []));
    expect(failure).toBeInstanceOf(NodeUnavailable);
    expect(failure).toMatchObject({ message: "the node answered HTTP 500", detail: node.url });
    expect(node.requests).toHaveLength(5);
  });

  it("by a timeout is retried only once", async () => {
    await using node = await startScriptedNode(() => null);
    await using client = clientOf(node, { requestTimeoutMs: 300 });
    const failure = await failureOf(client.call("echo", []));
    expect(failure).toMatchObject({ message: "the node gave no answer within 300 ms", detail: node.url });
    expect(node.requests).toHaveLength(2);
  });

  it.concurrent.each<[what: string, failure: ScriptedAnswer, message: string, detail: string]>([
    ["not JSON", { body: "<html>node-7.internal" }, "gave an answer that is not JSON", "<html>node-7.internal"],
    ["busy", { body: { ...refusal(-32005, "limit of 10.0.0.7"), id: 0 } }, "is busy", "limit of 10.0.0.7"],
  ])("by its answer (%s) shows the answer only in the detail", async (_what, failure, message, detail) => {
    await using node = await startScriptedNode(() => failure);
    await using client = clientOf(node);
    expect(await failureOf(client.call("echo", []))).toMatchObject({
      message: `the node ${message}`,
      detail: expect.stringContaining(detail),
    });
  });

  it("because nothing listens has the address only in the detail of the error", async () => {
    const node = await startScriptedNode(echo);
    await node[Symbol.asyncDispose]();
    await using client = clientOf(node);
    const { host } = new URL(node.url);
    expect(await failureOf(client.call("echo", []))).toMatchObject({
      message: "the node gave no answer (ECONNREFUSED)",
      detail: `${node.url}: connect ECONNREFUSED ${host}`,
    });
  });

  it("cancels the other requests of its calls, so that they do not delay the next call", async () => {
    let waiting = 0;
    await using node = await startScriptedNode((calls) => {
      if (calls[0]?.method !== "echo") return echo(calls);
      waiting++;
      return null;
    });
    await using client = clientOf(node, { requestTimeoutMs: 60, maxConcurrency: 2, maxBatchSize: 1 });
    await failureOf(client.callAll(callsOf(8)));
    const sent = waiting;
    expect(await client.call("head", [9])).toBe(9);
    // A request may have been sent at the time of the failure.
    expect(waiting).toBeLessThanOrEqual(sent + 1);
  });

  it("with a retry-after is retried after that time, and no other request is sent before", async () => {
    const clock = createManualClock();
    await using node = await startScriptedNode((calls, request) =>
      request === 1 ? { status: 429, headers: { "retry-after": "4" } } : echo(calls),
    );
    await using client = clientOf(node, { clock });
    const untilSleeping = (count: number) =>
      until(
        async () => clock.pending.length,
        (sleeping) => sleeping === count,
        `${count} waiting requests`,
        1,
      );
    const first = client.call("echo", [1]);
    await untilSleeping(1);
    const second = client.call("echo", [2]);
    await untilSleeping(2);
    for (const ms of clock.pending) expect(ms).toBeGreaterThanOrEqual(4_000);
    expect(node.requests).toHaveLength(1);
    clock.advance(5_000);
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });

  it("with a long retry-after makes the node unavailable for that time", async () => {
    await using node = await startScriptedNode(() => ({ status: 429, headers: { "retry-after": "30" } }));
    await using client = clientOf(node);
    expect(await failureOf(client.call("echo", []))).toMatchObject({ name: "NodeUnavailable", retryAfterMs: 30_000 });
    expect(await failureOf(client.call("echo", []))).toMatchObject({ name: "NodeUnavailable" });
    expect(node.requests).toHaveLength(1);
  });
});

describe("batches", () => {
  it.concurrent.each<[what: string, refuse: (calls: ScriptedCall[]) => ScriptedAnswer]>([
    ["by HTTP 413", () => ({ status: 413 })],
    ["by one error for all", () => ({ body: refusal(-32600, "batch too large") })],
    ["by an error in the batch", () => ({ body: [refusal(-32600, "batch limit is 6")] })],
    [
      "by an error of its first call",
      ([first]) => ({ body: [{ ...refusal(-32600, "batch too large"), id: first?.id }] }),
    ],
    [
      "by errors for the calls whose answers exceed 25 MB",
      (calls) => ({
        body: calls.map(({ id }, i) =>
          i < 3 ? { jsonrpc: "2.0", id, result: 1 } : { ...refusal(-32003, "response too large"), id },
        ),
      }),
    ],
    [
      "by errors for the calls that take too long",
      (calls) => ({ body: calls.map(({ id }) => ({ ...refusal(-32002, "request timed out"), id })) }),
    ],
    ["by answers that are left out", (calls) => ({ body: results(calls.slice(1, 3), () => 1) })],
  ])("with more calls than the node accepts, refused %s, become smaller and stay smaller", async (_what, refuse) => {
    await using node = await startScriptedNode((calls) => (calls.length > 6 ? refuse(calls) : echo(calls)));
    await using client = clientOf(node);
    expect(await client.callAll(callsOf(60))).toEqual(echoes(60));
    const before = node.requests.length;
    expect(await client.callAll(callsOf(60))).toEqual(echoes(60));
    expect(node.requests.slice(before).map(({ length }) => length)).toEqual(Array(12).fill(5));
  });

  it("do not become smaller because of a revert message", async () => {
    const reverted = refusal(3, "execution reverted: batch too large");
    await using node = await startScriptedNode((calls) => ({ body: calls.map(({ id }) => ({ ...reverted, id })) }));
    await using client = clientOf(node);
    const answers = await client.callAll(callsOf(60));
    expect(answers.filter((answer) => answer instanceof RpcError)).toHaveLength(60);
    expect(node.requests.map(({ length }) => length)).toEqual([20, 20, 20]);
  });

  it("that a rate limit refuses become smaller only for some time", async () => {
    await using node = await startScriptedNode((calls, request) =>
      request === 1 ? { body: refusal(-32005, "rate limited") } : echo(calls),
    );
    await using client = clientOf(node);
    expect(await client.callAll(callsOf(20))).toEqual(echoes(20));
    for (let i = 0; i < 20; i++) await client.callAll(callsOf(100));
    expect(client.limits.batchSize).toBe(100);
  });
});

it("the signal ends running requests and waiting times with its reason", async () => {
  const stop = new AbortController();
  const clock = createManualClock();
  await using node = await startScriptedNode(([call]) => (call?.params[0] === 0 ? null : { status: 503 }));
  await using client = clientOf(node, { signal: stop.signal, maxConcurrency: 2, clock, requestTimeoutMs: 60_000 });
  const failures = [0, 1, 2].map((i) => failureOf(client.call("echo", [i])));
  await until(
    async () => node.requests.length + clock.pending.length,
    (count) => count >= 3,
    "a running request and a wait",
    1,
  );
  stop.abort(new Error("the indexer stops"));
  expect(await Promise.all(failures)).toEqual(Array(3).fill(new Error("the indexer stops")));
});

describe("an answer that is too large to be read", () => {
  const MAX_BYTES = 100_000;
  const large = "x".repeat(MAX_BYTES);
  const dense = Array.from({ length: MAX_BYTES / 4 }, () => ({}));

  it.concurrent.each<[what: string, result: unknown, why: string]>([
    ["by its length", large, "its answer is too long"],
    ["by its number of objects", dense, "its answer has too many objects and lists"],
    ["by its number of lists", dense.map(() => []), "its answer has too many objects and lists"],
  ])("%s is an error of its call only", async (_what, result, why) => {
    await using node = await startScriptedNode((calls) => ({
      body: results(calls, ({ params }) => (params[0] === 7 ? result : params[0])),
    }));
    await using client = clientOf(node, { maxResponseBytes: MAX_BYTES });
    const expected: unknown[] = echoes(20);
    expected[7] = new RpcError(-32000, why);
    expect(await client.callAll(callsOf(20))).toEqual(expected);
  });
});

describe("a mistake of TLS is the reason that the chain shows, with what to do", () => {
  async function reasonAt(url: string): Promise<unknown> {
    await using client = clientOf({ url } as ScriptedNode);
    return await failureOf(client.call("eth_chainId", []));
  }

  it("for a certificate that no known authority has signed", async () => {
    await using server = await listenWith(createHttpsServer(selfSigned(["localhost"])));
    expect(await reasonAt(`https://127.0.0.1:${server.port}/`)).toMatchObject({
      message: expect.stringMatching(
        /^the node gave no answer \(DEPTH_ZERO_SELF_SIGNED_CERT\): no authority that this machine trusts .* NODE_EXTRA_CA_CERTS$/,
      ),
    });
  });

  it("for https at a port without TLS", async () => {
    await using server = await listenWith(createServer());
    expect(await reasonAt(`https://127.0.0.1:${server.port}/`)).toMatchObject({
      message: expect.stringMatching(
        /^the node gave no answer \([A-Z_]+\): it does not use TLS at this port: begin its URL with http:/,
      ),
    });
  });

  it("for http at a port that expects TLS, as avalanchego answers", async () => {
    await using server = await listenWith(
      createServer(
        (_request, response) => void response.writeHead(400).end("Client sent an HTTP request to an HTTPS server.\n"),
      ),
    );
    expect(await reasonAt(`http://127.0.0.1:${server.port}/`)).toMatchObject({
      message: "the node answered HTTP 400: it expects TLS at this port: begin its URL with https://",
    });
  });
});

async function listenWith(server: Server): Promise<{ readonly port: number } & AsyncDisposable> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
