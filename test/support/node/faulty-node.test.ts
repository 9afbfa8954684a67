import { elementsOf } from "../../../recordings/json-text.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../../recordings/replay-node.ts";
import { FAULTS, type Fault } from "./faults.ts";
import { type FaultyNode, startFaultyNode } from "./faulty-node.ts";

const C = "/ext/bc/C/rpc";
const recording = openRecording(ALPHA);

/** A recorded block with several receipts and logs. */
const HEIGHT = recording.calls(C, "eth_getLogs").findIndex(({ text }) => elementsOf(text).length > 3);
const BLOCK = `0x${HEIGHT.toString(16)}`;
const NEXT = `0x${(HEIGHT + 1).toString(16)}`;

let upstream: ReplayNode;
let node: FaultyNode;
beforeAll(async () => {
  upstream = await startReplayNode({ recording });
  node = await startFaultyNode({ upstream: upstream.url });
});
afterEach(async () => {
  await node.heal();
  node.traffic.reset();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await upstream.close();
});

interface Spoken {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

function request(id: number, method: string, ...params: unknown[]): object {
  return { jsonrpc: "2.0", id, method, params };
}

function send(body: object, to: { readonly url: string } = node): Promise<Response> {
  return fetch(to.url + C, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function call(method: string, ...params: unknown[]): Promise<Spoken> {
  return (await (await send(request(1, method, ...params))).json()) as Spoken;
}

const TWO_BLOCKS = [request(1, "eth_getBlockByNumber", BLOCK, false), request(2, "eth_getBlockByNumber", NEXT, false)];

it("without a fault all requests are forwarded unchanged and counted, including batches and other paths", async () => {
  const body = [...TWO_BLOCKS, request(3, "eth_getLogs", { fromBlock: "0x0" })];
  expect(await (await send(body)).text()).toBe(await (await send(body, upstream)).text());
  const health = await fetch(`${node.url}/ext/health`);
  expect(await health.text()).toBe(recording.page("/ext/health")?.body);
  expect(Object.fromEntries(node.traffic.calls)).toEqual({ eth_getBlockByNumber: 2, eth_getLogs: 1 });
  expect(node.traffic.requests).toBe(2);
});

it("a node that is down refuses connections, and uses the same port afterwards", async () => {
  await node.down();
  await expect(call("eth_chainId")).rejects.toThrow("fetch failed");
  await node.up();
  expect(await call("eth_chainId")).toMatchObject({ result: "0xb98cb" });
});

it("a node that cuts connections reads the request first", async () => {
  node.faults.cutsConnections = true;
  await expect(call("eth_chainId")).rejects.toThrow("fetch failed");
  expect(node.traffic.calls.get("eth_chainId")).toBe(1);
});

it("a slow node keeps requests open, and the maximum of concurrent requests is counted", async () => {
  node.faults.delayMs = 200;
  await Promise.all([call("eth_chainId"), call("eth_chainId"), call("net_version")]);
  expect(node.traffic.maxInFlight).toBe(3);
});

it("a busy node answers with a status and retry-after", async () => {
  node.faults.status = { code: 429, retryAfterSeconds: 7 };
  const response = await send(TWO_BLOCKS);
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
});

it("invalid bodies have status 200 and are not JSON", async () => {
  for (const garbage of ["html", "truncated", "empty"] as const) {
    node.faults.garbage = garbage;
    const response = await send(TWO_BLOCKS);
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow(/JSON/);
  }
});

it.each([
  ["missingAnswer", [[1, BLOCK]]],
  [
    "reordered",
    [
      [2, NEXT],
      [1, BLOCK],
    ],
  ],
  [
    "permutedIds",
    [
      [2, BLOCK],
      [1, NEXT],
    ],
  ],
  [
    "duplicateIds",
    [
      [1, BLOCK],
      [1, NEXT],
    ],
  ],
] as const)("a batch can be answered with %s", async (garbage, expected) => {
  node.faults.garbage = garbage;
  const answers = (await (await send(TWO_BLOCKS)).json()) as { id: number; result: { number: string } }[];
  expect(answers.map(({ id, result }) => [id, result.number])).toEqual(expected);
});

it("batches are refused, or only above a number of calls", async () => {
  node.faults.batchLimit = 0;
  expect(await (await send(TWO_BLOCKS)).json()).toMatchObject({
    id: null,
    error: { code: -32600, message: "batch not supported" },
  });
  node.faults.batchLimit = 1;
  expect(await (await send(TWO_BLOCKS)).json()).toMatchObject([
    { id: 1, error: { code: -32600, message: "batch too large" } },
  ]);
  expect(await (await send(TWO_BLOCKS.slice(1))).json()).toMatchObject([{ id: 2, result: { number: NEXT } }]);
});

describe("wrong answers", () => {
  async function withFault(
    fault: Fault,
    method: string,
    ...params: unknown[]
  ): Promise<[right: unknown, wrong: unknown]> {
    const { result } = await call(method, ...params);
    node.faults.wrongAnswers = [fault];
    return [result, (await call(method, ...params)).result];
  }

  it("change one block and no other", async () => {
    const [right, wrong] = await withFault(FAULTS.wrongParentHash(HEIGHT), "eth_getBlockByNumber", BLOCK, true);
    expect(wrong).toEqual({ ...(right as object), parentHash: `0x${"bad0".repeat(16)}` });
    const neighbour = request(1, "eth_getBlockByNumber", NEXT, true);
    expect(await (await send(neighbour)).text()).toBe(await (await send(neighbour, upstream)).text());
  });

  it("give a block another number", async () => {
    const [, wrong] = await withFault(FAULTS.otherNumber(HEIGHT), "eth_getBlockByNumber", BLOCK, false);
    expect(wrong).toMatchObject({ number: NEXT });
  });

  it("omit one receipt, all receipts, or the list", async () => {
    const [right, wrong] = await withFault(FAULTS.receiptsMissingOne(HEIGHT), "eth_getBlockReceipts", BLOCK);
    expect(wrong).toEqual((right as unknown[]).slice(0, -1));
    node.faults.wrongAnswers = [FAULTS.receiptsEmpty(HEIGHT)];
    expect((await call("eth_getBlockReceipts", BLOCK)).result).toEqual([]);
    node.faults.wrongAnswers = [FAULTS.receiptsNull(HEIGHT)];
    expect((await call("eth_getBlockReceipts", BLOCK)).result).toBeNull();
  });

  it("return the receipts of another block", async () => {
    const [, wrong] = await withFault(FAULTS.receiptsOfAnotherBlock(HEIGHT), "eth_getBlockReceipts", BLOCK);
    expect(new Set((wrong as { blockNumber: string }[]).map(({ blockNumber }) => blockNumber))).toEqual(
      new Set([NEXT]),
    );
  });

  it("change logs, in eth_getLogs and in receipts", async () => {
    const range = { fromBlock: BLOCK, toBlock: BLOCK };
    const [right, gap] = await withFault(FAULTS.logIndexGap(HEIGHT), "eth_getLogs", range);
    const indexes = (gap as { logIndex: string }[]).map(({ logIndex }) => Number(logIndex));
    expect(indexes).toEqual((right as unknown[]).map((_, at) => (at === 0 ? 0 : at + 1)));
    const nowhere = { blockHash: `0x${"bad0".repeat(16)}`, transactionHash: `0x${"bad0".repeat(16)}` };
    node.faults.wrongAnswers = [FAULTS.logsOfAnotherTransaction(HEIGHT), FAULTS.logsOfAnotherBlock(HEIGHT)];
    expect((await call("eth_getLogs", range)).result).toEqual(
      (right as object[]).map((log) => ({ ...log, ...nowhere })),
    );
    const receipts = (await call("eth_getBlockReceipts", BLOCK)).result as { logs: object[] }[];
    expect(receipts.flatMap(({ logs }) => logs)).toEqual((right as object[]).map((log) => ({ ...log, ...nowhere })));
  });

  it("freeze the head, with an error or null for later blocks", async () => {
    node.faults.wrongAnswers = [FAULTS.frozenHead(HEIGHT)];
    expect(await call("eth_blockNumber")).toMatchObject({ result: BLOCK });
    expect(await call("eth_getBlockByNumber", "latest", false)).toMatchObject({ result: { number: BLOCK } });
    expect(await call("eth_getBlockByNumber", NEXT, false)).toMatchObject({
      error: { message: "cannot query unfinalized data" },
    });
    expect(await call("eth_getBlockReceipts", NEXT)).toMatchObject({ result: null });
    expect(await call("eth_getLogs", { fromBlock: BLOCK, toBlock: NEXT })).toMatchObject({ error: { code: -32000 } });
    node.faults.wrongAnswers = [FAULTS.frozenHead(HEIGHT, "null")];
    expect(await call("eth_getBlockByNumber", NEXT, false)).toMatchObject({ result: null });
    expect((await call("eth_getLogs", { fromBlock: BLOCK, toBlock: NEXT })).error).toBeUndefined();
  });

  it("prune old states, with an error or null", async () => {
    node.faults.wrongAnswers = [FAULTS.pruned(HEIGHT + 1)];
    for (const method of ["eth_getBlockReceipts", "debug_traceBlockByNumber"]) {
      expect(await call(method, BLOCK, { tracer: "callTracer" })).toMatchObject({
        error: { code: -32000, message: "missing trie node" },
      });
    }
    expect(await call("eth_getBlockByNumber", NEXT, false)).toMatchObject({ result: { number: NEXT } });
    node.faults.wrongAnswers = [FAULTS.pruned(HEIGHT + 1, "null")];
    expect(await call("eth_getBlockByNumber", BLOCK, false)).toMatchObject({ result: null });
  });

  it("remove a method", async () => {
    node.faults.wrongAnswers = [FAULTS.methodMissing("eth_getBlockReceipts")];
    expect(await call("eth_getBlockReceipts", BLOCK)).toMatchObject({ error: { code: -32601 } });
    expect(await call("eth_chainId")).toMatchObject({ result: "0xb98cb" });
  });
});
