import { createRecordingClock } from "../../../test/support/clock.ts";
import { type ScriptedCall, startScriptedNode } from "../../../test/support/node/scripted-node.ts";
import { createNodeClient } from "../../shared/node/node-client.ts";
import { createBlockReader, receiptList } from "./block-answers.ts";

const BLOCK = { transactions: [{ hash: "0xa" }, { hash: "0xb" }] };
const receiptOf = (hash: unknown) => ({ transactionHash: hash });
const RECEIPTS = ["0xa", "0xb"].map(receiptOf);

type Reply = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** A node with blocks of two transactions; `replyTo` answers what differs. */
async function startReader(replyTo: (call: ScriptedCall) => Reply | null) {
  const node = await startScriptedNode((calls) => {
    const answers = calls.map((call) => ({ jsonrpc: "2.0", id: call.id, ...(replyTo(call) ?? honest(call)) }));
    return { body: answers.length === 1 ? answers[0] : answers };
  });
  const clock = createRecordingClock();
  const stop = new AbortController();
  const options = { headers: {}, requestTimeoutMs: 2_000, maxConcurrency: 4, maxBatchSize: 50 };
  const client = createNodeClient({ ...options, url: node.url, signal: stop.signal, clock });
  const time = { nowMs: 0 };
  const reader = createBlockReader(client, { nowMs: () => time.nowMs });
  return {
    node,
    time,
    reader,
    async receipts(number: number) {
      const [answers] = await reader.answers([number], null);
      return receiptList(answers as never) ?? reader.singleReceipts(number, BLOCK as never);
    },
    calls: (method: string) => node.requests.flat().filter((call) => call.method === method).length,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

function honest({ method, params }: ScriptedCall): Reply {
  if (method === "eth_getBlockReceipts") return { result: RECEIPTS };
  return { result: method === "eth_getTransactionReceipt" ? receiptOf(params[0]) : BLOCK };
}

const failing = (method: string, reply: Reply, isFailing = (_call: ScriptedCall) => true) =>
  startReader((call) => (call.method === method && isFailing(call) ? reply : null));

describe("the receipts of a block are read one by one", () => {
  it.each<[what: string, reply: Reply]>([
    ["is missing", { error: { code: -32601, message: "the method does not exist" } }],
    ["fails with an internal error", { error: { code: -32603, message: "internal error" } }],
    ["is refused for any reason", { error: { code: -32000, message: "response size exceeded" } }],
    ["is refused because of a rate limit", { error: { code: -32010, message: "rate limit reached" } }],
    ["answers null", { result: null }],
    ["answers no list", { result: "busy" }],
  ])("if eth_getBlockReceipts %s", async (_what, reply) => {
    await using scene = await failing("eth_getBlockReceipts", reply);
    expect(await scene.receipts(5)).toEqual(RECEIPTS);
    expect(scene.calls("eth_getTransactionReceipt")).toBe(2);
  });

  it("only for the block for which it fails", async () => {
    const error = { code: -32000, message: "too large" };
    await using scene = await failing("eth_getBlockReceipts", { error }, ({ params }) => params[0] === "0x6");
    for (const answers of await scene.reader.answers([5, 6, 7], null))
      expect(receiptList(answers)).toEqual(answers.number === 6 ? null : RECEIPTS);
  });
});

it("eth_getBlockReceipts is tried again after growing pauses, and used again once it works", async () => {
  let isBroken = true;
  const reply = { error: { code: -32601, message: "the method does not exist" } };
  await using scene = await failing("eth_getBlockReceipts", reply, () => isBroken);
  const triedAt: number[] = [];
  for (; scene.time.nowMs < 20_000; scene.time.nowMs += 250) {
    const before = scene.calls("eth_getBlockReceipts");
    expect(await scene.receipts(5)).toEqual(RECEIPTS);
    if (scene.calls("eth_getBlockReceipts") > before) triedAt.push(scene.time.nowMs);
  }
  expect(triedAt).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  isBroken = false;
  scene.time.nowMs = 40_000;
  const single = scene.calls("eth_getTransactionReceipt");
  for (let i = 0; i < 3; i++) expect(await scene.receipts(5)).toEqual(RECEIPTS);
  expect(scene.calls("eth_getTransactionReceipt")).toBe(single);
});

it("receipts that the node lacks or refuses are no receipts", async () => {
  const isOther = ({ method, params }: ScriptedCall) => method === "eth_getBlockReceipts" || params[0] === "0xb";
  await using lacking = await startReader((call) =>
    call.method.endsWith("Receipts") || (call.method.endsWith("Receipt") && isOther(call)) ? { result: null } : null,
  );
  expect(await lacking.receipts(5)).toBeNull();
  await using refusing = await startReader((call) =>
    /Receipts?$/.test(call.method) ? { error: { code: -32000, message: "at 10.0.0.7" } } : null,
  );
  await expect(refusing.receipts(5)).rejects.toMatchObject({
    name: "BadUpstreamData",
    message: "the node refuses the receipts of block 5",
    detail: "at 10.0.0.7 (-32000)",
  });
});

describe("a request that keeps failing as a whole", () => {
  it("is sent call by call after two failures, if the node returns the blocks", async () => {
    const busy = { error: { code: -32005, message: "limit exceeded" } };
    await using scene = await failing("debug_traceBlockByNumber", busy, ({ params }) => params[0] === "0x6");
    const read = () => scene.reader.answers([5, 6, 7], { tracer: "callTracer" });
    for (let i = 0; i < 2; i++) await expect(read()).rejects.toThrow("the node is busy");
    const answers = await read();
    expect(answers.map(({ traces }) => traces)).toEqual([{ result: BLOCK }, expect.any(Error), { result: BLOCK }]);
    expect(answers.map(({ receipts }) => receipts)).toEqual(Array(3).fill({ result: RECEIPTS }));
  });

  it("fails if the node does not return the blocks either", async () => {
    await using scene = await startReader(() => ({ error: { code: -32005, message: "limit exceeded" } }));
    for (let i = 0; i < 4; i++) await expect(scene.reader.answers([5], null)).rejects.toThrow("the node is busy");
  });
});
