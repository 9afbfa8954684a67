import { createReplayClient, type ReplayClient } from "../test/support/node/replay-client.ts";
import { elementsOf, membersOf } from "./json-text.ts";
import { isEvmChain } from "./manifest.ts";
import { openRecording, type RecordedCall } from "./recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "./replay-node.ts";

const recording = openRecording(ALPHA);
const evmChains = recording.manifest.chains.filter(isEvmChain);
const C = "/ext/bc/C/rpc";
const P = "/ext/bc/P";

let node: ReplayNode;
let client: ReplayClient;
beforeEach(async () => {
  node = await startReplayNode({ recording });
  client = createReplayClient(node.url);
});
afterEach(() => node.close());

function recorded(path: string, method: string, params: unknown): string {
  return recording.answer(path, method, params)?.text ?? "nothing";
}

function transactionsOf(block: RecordedCall): string[] {
  return elementsOf(membersOf(block.text).get("transactions") ?? "[]");
}

function batchOf(method: string, calls: readonly RecordedCall[]): string {
  return JSON.stringify(calls.map(({ params }, id) => ({ jsonrpc: "2.0", id, method, params })));
}

function answersOf(calls: readonly RecordedCall[]): string {
  return `[${calls.map(({ kind, text }, id) => `{"jsonrpc":"2.0","id":${id},"${kind}":${text}}`)}]\n`;
}

describe("a replay node with full heads answers", () => {
  const everyMethod = evmChains.flatMap(({ alias, rpcPath }) =>
    recording.methods(rpcPath).map((method) => ({ alias, rpcPath, method })),
  );

  it.each(everyMethod)("every recorded $method of $alias byte for byte", async ({ rpcPath, method }) => {
    const calls = recording.calls(rpcPath, method);
    for (let at = 0; at < calls.length; at += 100) {
      const some = calls.slice(at, at + 100);
      expect((await client.post(rpcPath, batchOf(method, some))) === answersOf(some)).toBe(true);
    }
  });

  it.each(["platform.getBlockByHeight", "platform.getTx", "platform.getTxStatus", "platform.getBlock"])(
    "a recorded %s byte for byte, also numbers above 2^53",
    async (method) => {
      for (const { params, text } of recording.calls(P, method).slice(-40)) {
        expect(await client.call(P, method, params)).toBe(text);
      }
    },
  );

  it("a health check by GET as the node did, with and without a tag", async () => {
    for (const path of [
      "/ext/health",
      "/ext/health/readiness",
      "/ext/health?tag=11111111111111111111111111111111LpoYY",
    ]) {
      const response = await fetch(node.url + path);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(await response.text()).toBe(recording.page(path)?.body);
    }
  });

  it("a transaction by hash as it is in its block, like the node", async () => {
    const transactions = recording.calls(C, "eth_getBlockByNumber").slice(0, 60).flatMap(transactionsOf);
    const printed = recording.calls(C, "eth_getTransactionByHash").map(({ text }) => text);
    expect(printed.filter((text) => transactions.includes(text)).length).toBeGreaterThan(5);
    expect(transactions.length).toBeGreaterThan(printed.length);
    for (const transaction of transactions) {
      const hash: unknown = JSON.parse(membersOf(transaction).get("hash") ?? "");
      expect(await client.call(C, "eth_getTransactionByHash", [hash])).toBe(transaction);
    }
  });

  it("a block with only transaction hashes, like the node", async () => {
    const printed = recorded(C, "eth_getBlockByNumber", ["finalized", false]);
    expect(await client.call(C, "eth_getBlockByNumber", ["0xea", false])).toBe(printed);
  });
});

describe("unknown data is answered as by a node", () => {
  const NOBODY = `0x${"ab".repeat(32)}`;

  it("unknown hashes are null", async () => {
    for (const method of ["eth_getTransactionReceipt", "eth_getTransactionByHash"])
      expect(await client.parsed(C, method, [NOBODY])).toBeNull();
    expect(await client.parsed(C, "eth_getBlockByHash", [NOBODY, false])).toBeNull();
    expect(await client.parsed(C, "eth_getBlockReceipts", [NOBODY])).toBeNull();
  });

  it.each([
    ["eth_nope", [], -32601, "the method eth_nope does not exist/is not available"],
    ["constructor", [], -32601, "the method constructor does not exist/is not available"],
    ["eth_getBlockByNumber", ["5", true], -32602, "invalid argument 0: hex string without 0x prefix"],
    ["eth_getBlockByNumber", ["0x5"], -32602, "missing value for required argument 1"],
    [
      "eth_getBlockByHash",
      ["0x12", true],
      -32602,
      "invalid argument 0: hex string has length 2, want 64 for common.Hash",
    ],
    ["eth_chainId", { a: 1 }, -32602, "non-array args"],
  ])("%s %j is refused", async (method, params, code, message) => {
    expect(await client.parsed(C, method, params)).toEqual({ code, message });
  });

  it.each([
    [P, "platform.getBlockByHeight", { height: 5000 }, "couldn't get block at height 5000: not found"],
    [P, "platform.getTx", { txID: "2QouvFWUbjuySRxeX5xMbNCuAaKWfbk5FeEa2JmoF85RKLk2dE" }, "couldn't get tx: not found"],
    ["/ext/info", "info.nope", {}, 'rpc: can\'t find method "info.Nope"'],
    ["/ext/info", "foo.bar", {}, 'rpc: can\'t find service "foo.Bar"'],
    ["/ext/info", "foo", {}, 'rpc: service/method request ill-formed: "foo"'],
  ])("%s refuses %s %j with data null", async (path, method, params, message) => {
    expect(await client.parsed(path, method, params)).toEqual({ code: -32000, message, data: null });
  });

  it("unknown paths get 404 with the text of Go's HTTP server", async () => {
    for (const path of ["/", "/ext/bc/X/proposervm", "/ext/info/", "/ext/bc/Q/rpc"]) {
      const response = await fetch(node.url + path, { method: "POST", body: "{}" });
      expect(response.status).toBe(404);
      expect(await response.text()).toBe("404 page not found\n");
    }
  });
});

describe("JSON-RPC over HTTP is served as by a node", () => {
  it("ids are returned as they were sent", async () => {
    for (const id of ["1", '"a\\u0062"', "1.0", "123456789012345678901234567890", "null"]) {
      const body = `{"id":${id},"method":"eth_chainId","jsonrpc":"2.0"}`;
      expect(await client.post(C, body)).toBe(`{"jsonrpc":"2.0","id":${id},"result":"0xb98cb"}\n`);
    }
    expect(await client.post("/ext/info", '{"jsonrpc":"2.0","id":1.0,"method":"info.getNetworkID"}')).toBe(
      '{"jsonrpc":"2.0","result":{"networkID":"76001"},"id":1.0}\n',
    );
  });

  it("a batch keeps its order, omits notifications and reports invalid members", async () => {
    const body = `[{"jsonrpc":"2.0","id":"b","method":"eth_chainId"}, 7,
      {"jsonrpc":"2.0","method":"eth_chainId"}, {"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}]`;
    expect(await client.post(C, body)).toBe(
      '[{"jsonrpc":"2.0","id":"b","result":"0xb98cb"},' +
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},' +
        '{"jsonrpc":"2.0","id":1,"result":"760011"}]\n',
    );
  });

  it.each([
    ["{", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'],
    ["[]", '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}'],
    ['{"jsonrpc":"2.0","method":"eth_chainId"}', ""],
    ["", ""],
  ])("an EVM chain answers %j as geth does", async (body, answer) => {
    expect(await client.post(C, body)).toBe(answer);
  });

  it("an EVM chain refuses more than 1000 calls at once", async () => {
    const calls = Array.from({ length: 1001 }, (_, id) => ({ jsonrpc: "2.0", id, method: "eth_chainId" }));
    expect(JSON.parse(await client.post(C, JSON.stringify(calls)))).toEqual([
      { jsonrpc: "2.0", id: 0, error: { code: -32600, message: "batch too large" } },
    ]);
  });

  it("the node's own APIs refuse batches, other content types and GET", async () => {
    expect(await client.post(P, "[]")).toContain(
      '"message":"json: cannot unmarshal array into Go value of type json2.serverRequest"',
    );
    expect(await client.post(P, "{}", "text/plain")).toBe("rpc: unrecognized Content-Type: text/plain");
    expect(await client.post(P, '{"jsonrpc":"2.0","method":"platform.getHeight"}')).toBe("");
    expect((await fetch(node.url + P)).status).toBe(405);
  });
});
