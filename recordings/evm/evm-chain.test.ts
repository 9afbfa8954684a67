import { createReplayClient, type ReplayClient } from "../../test/support/node/replay-client.ts";
import { elementsOf } from "../json-text.ts";
import { isEvmChain } from "../manifest.ts";
import { openRecording } from "../recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../replay-node.ts";

const recording = openRecording(ALPHA);
const evmChains = recording.manifest.chains.filter(isEvmChain);
const C = "/ext/bc/C/rpc";
const UNFINALIZED = { code: -32000, message: "cannot query unfinalized data" };

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

describe("the logs of a range", () => {
  it.each(evmChains)("equal the node's answer for the whole range on $alias", async ({ rpcPath, height }) => {
    const range = { fromBlock: "0x0", toBlock: `0x${height.toString(16)}` };
    const whole = recorded(rpcPath, "eth_getLogs", [range]);
    expect(await client.call(rpcPath, "eth_getLogs", [range])).toBe(whole);
    expect(await client.call(rpcPath, "eth_getLogs", [{ fromBlock: "earliest", toBlock: "latest" }])).toBe(whole);
    const one = await client.call(rpcPath, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "0x63" }]);
    const two = await client.call(rpcPath, "eth_getLogs", [{ fromBlock: "0x64", toBlock: "latest" }]);
    expect([...elementsOf(one), ...elementsOf(two)]).toEqual(elementsOf(whole));
  });

  it("are filtered by address and by topics with alternatives and wildcards", async () => {
    const all = JSON.parse(recorded(C, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "0xea" }])) as {
      address: string;
      topics: string[];
    }[];
    const { address, topics } = all.find((log) => log.topics.length === 4) ?? { address: "", topics: [] };
    const range = { fromBlock: "0x0", toBlock: "latest" };
    const upper = address.replace(/[a-f]/g, (letter) => letter.toUpperCase());
    expect(await client.parsed(C, "eth_getLogs", [{ ...range, address: [upper] }])).toEqual(
      all.filter((log) => log.address === address),
    );
    const places = [null, [topics[1], `0x${"0".repeat(64)}`], [], topics[3]];
    expect(await client.parsed(C, "eth_getLogs", [{ ...range, topics: places }])).toEqual(
      all.filter((log) => [topics[1], `0x${"0".repeat(64)}`].includes(log.topics[1]) && log.topics[3] === topics[3]),
    );
  });

  it("are returned for one block by its hash", async () => {
    const texts = recording.calls(C, "eth_getLogs").map(({ text }) => text);
    const logs = texts.find((text) => elementsOf(text).length > 3) ?? "[{}]";
    const [{ blockHash }] = JSON.parse(logs) as [{ blockHash: string }];
    expect(await client.call(C, "eth_getLogs", [{ blockHash }])).toBe(logs);
  });

  it.each([
    [{ fromBlock: "0x1", toBlock: "0xffff" }, "requested to block 65535 after last accepted block 234"],
    [{ fromBlock: "0xeb", toBlock: "0xffff" }, "requested from block 235 after last accepted block 234"],
    [{ fromBlock: "0x5", toBlock: "0x4" }, "invalid block range params"],
    [{ toBlock: "0x4" }, "begin block 234 is greater than end block 4"],
    [{ blockHash: `0x${"1".repeat(64)}` }, "unknown block"],
  ])("are refused with the node's message: %j", async (filter, message) => {
    expect(await client.parsed(C, "eth_getLogs", [filter])).toEqual({ code: -32000, message });
  });
});

describe("a head hides all later blocks", () => {
  const HEAD = 100;
  beforeEach(() => node.setHead("C", HEAD));

  it("in eth_blockNumber and in blocks requested by tag", async () => {
    expect(node.head(C)).toBe(HEAD);
    expect(await client.parsed(C, "eth_blockNumber", [])).toBe("0x64");
    const newest = recorded(C, "eth_getBlockByNumber", ["0x64", true]);
    for (const tag of ["latest", "safe", "finalized", "pending", "accepted"]) {
      expect(await client.call(C, "eth_getBlockByNumber", [tag, true])).toBe(newest);
    }
  });

  it("from requests by number and by hash, answered as a node does", async () => {
    const hidden = JSON.parse(recorded(C, "eth_getBlockByNumber", ["0x69", true])) as {
      hash: string;
      transactions: { hash: string }[];
    };
    const [transaction] = hidden.transactions;
    expect(await client.parsed(C, "eth_getBlockByNumber", ["0x69", true])).toEqual(UNFINALIZED);
    expect(await client.parsed(C, "debug_traceBlockByNumber", ["0x69", { tracer: "callTracer" }])).toEqual(UNFINALIZED);
    expect(await client.parsed(C, "eth_getBalance", [`0x${"1".repeat(40)}`, "0x69"])).toEqual(UNFINALIZED);
    expect(await client.parsed(C, "eth_getBlockByHash", [hidden.hash, true])).toBeNull();
    expect(await client.parsed(C, "eth_getBlockReceipts", ["0x69"])).toBeNull();
    expect(await client.parsed(C, "eth_getBlockReceipts", [hidden.hash])).toBeNull();
    expect(await client.parsed(C, "eth_getTransactionReceipt", [transaction?.hash])).toBeNull();
    expect(await client.parsed(C, "eth_getTransactionByHash", [transaction?.hash])).toBeNull();
  });

  it("from logs, which end at the head", async () => {
    const upToHead = recording
      .calls(C, "eth_getLogs")
      .slice(0, HEAD + 1)
      .flatMap(({ text }) => elementsOf(text));
    expect(elementsOf(await client.call(C, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]))).toEqual(
      upToHead,
    );
    expect(await client.parsed(C, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "0x65" }])).toEqual({
      code: -32000,
      message: "requested to block 101 after last accepted block 100",
    });
  });

  it("but not the block and receipts at the head, nor other chains", async () => {
    expect(await client.call(C, "eth_getBlockReceipts", ["0x64"])).toBe(recorded(C, "eth_getBlockReceipts", ["0x64"]));
    expect(node.head("l1")).toBe(218);
  });

  it("and can be moved within the recording", async () => {
    node.setHead(C, HEAD + 1);
    expect(await client.parsed(C, "eth_blockNumber", [])).toBe("0x65");
    expect(() => node.setHead(C, 235)).toThrow("head of C must be a height from 0 to 234, got 235");
    expect(() => node.setHead("Q", 3)).toThrow("no replayed chain has the alias or path Q");
  });
});

describe("contract calls", () => {
  const reverting = recording.calls(C, "eth_call").find(({ text }) => text.includes("not today"));
  const good = recording.calls(C, "eth_call").find(({ kind, text }) => kind === "result" && text.length > 10);
  const [request, height] = (good?.params ?? []) as [{ to: string; data: string }, string];

  it("are answered at the head by name, by height and by default, in any letter case, with `input` as `data`", async () => {
    expect(height).toBe("latest");
    const { to, data } = request;
    const spellings = [
      [{ to, data }, "latest"],
      [{ input: data, to: to.toUpperCase().replace("0X", "0x"), from: `0x${"1".repeat(40)}` }, "0xea"],
      [{ to, data, gas: "0xffff" }, "0x00ea"],
      [{ to, data }, { blockNumber: "pending" }],
      [{ to, data }],
    ];
    for (const params of spellings) expect(await client.call(C, "eth_call", params)).toBe(good?.text);
  });

  it("are answered with a recorded error and its data", async () => {
    expect(await client.call(C, "eth_call", reverting?.params)).toBe(reverting?.text);
    expect(await client.parsed(C, "eth_call", reverting?.params)).toMatchObject({
      code: 3,
      data: expect.stringMatching("^0x08c379a0"),
    });
  });

  it("that were not recorded return 0x for an address without contract code, and revert for a contract", async () => {
    const data = "0xdeadbeef";
    expect(await client.parsed(C, "eth_call", [{ to: `0x${"12".repeat(20)}`, data }, "latest"])).toBe("0x");
    expect(await client.parsed(C, "eth_call", [{ to: request.to, data }, "latest"])).toEqual({
      code: -32000,
      message: "execution reverted",
    });
  });

  it('that were not recorded at an older height fail with "missing trie node"', async () => {
    expect(await client.parsed(C, "eth_call", [request, "0x10"])).toMatchObject({
      code: -32000,
      message: expect.stringMatching("^missing trie node"),
    });
  });
});

describe("an advancing head", () => {
  it("starts at three quarters, moves with the clock, ends at the recorded end and continues after a restart", async () => {
    let nowMs = 1_000_000;
    const heads = { startedAtMs: nowMs, now: () => nowMs };
    await using living = await startReplayNode({ recording, heads });
    expect([living.head("C"), living.head("l1")]).toEqual([175, 163]);
    nowMs += 10_000;
    const later = living.head("C");
    expect(later).toBeGreaterThan(177);
    expect(later).toBeLessThanOrEqual(195);
    await using restarted = await startReplayNode({ recording, heads });
    expect(restarted.head("C")).toBe(later);
    nowMs += 1_000_000;
    expect([restarted.head("C"), restarted.head("l1")]).toEqual([234, 218]);
  });
});
