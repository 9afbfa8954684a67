import { createChains } from "../../../core/chains.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import {
  results,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedNode,
  startScriptedNode,
} from "../../../test/support/node/scripted-node.ts";
import { createBalanceNode } from "./balance-node.ts";
import { createFindBlock } from "./find-block.ts";
import { createNativeBalanceStore, type NativeBalanceStore } from "./store.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const hashOf = (number: number, branch = "a") => branch.repeat(60) + number.toString().padStart(4, "0");

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

/** Blocks with these times, from genesis on, and the head at the last of them. */
async function putBlocks(...times: number[]): Promise<void> {
  await database.pool.query("CREATE TABLE IF NOT EXISTS evm_blocks_7 PARTITION OF evm_blocks FOR VALUES IN (7)");
  for (const [number, time] of times.entries())
    await database.pool.query(
      `INSERT INTO evm_blocks (chain_id, block_number, block_timestamp, block_hash, parent_hash, tx_count, base_fee, gas_used,
         gas_limit, gas_cost, fees_spent, cumulative_transactions, state_root, receipts_root, miner, size_bytes)
       VALUES (7, $1, $2, $3, '', 0, 0, 0, 0, 0, 0, 0, '', '', '', 0)`,
      [number, time, `\\x${hashOf(number)}`],
    );
  await setHead(times.length - 1, times.at(-1) ?? 0, hashOf(times.length - 1));
}

async function setHead(number: number, time: number, hash: string): Promise<void> {
  await database.pool.query(
    `INSERT INTO chain_heads VALUES (7, '', 1, $1, $2, $3, 0)
     ON CONFLICT (chain_id) DO UPDATE SET block_number = $1, block_hash = $2, block_timestamp = $3`,
    [number, `\\x${hash}`, time],
  );
}

interface Opened extends AsyncDisposable {
  readonly store: NativeBalanceStore;
  readonly node: ScriptedNode;
}

/** The store over a node that answers as a test says. */
async function open(
  answer: (calls: ScriptedCall[], request: number) => ScriptedAnswer | null,
  mostKnown = 1_000,
): Promise<Opened> {
  const node = await startScriptedNode(answer);
  const nodeHeaders = { authorization: "mine" };
  const chain = { chainId: 7, network: "fuji", chainName: "Any", nodeUrl: node.url, nodeHeaders };
  const store = createNativeBalanceStore({
    chains: createChains(testConfig({ evmChains: [chain] })),
    findBlock: createFindBlock(database),
    node: createBalanceNode({ requestTimeoutMs: 300 }),
    mostKnown,
  });
  return {
    store,
    node,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

const says = (balance: string) => (calls: ScriptedCall[]) => ({ body: results(calls, () => balance) });
const refuses =
  (message: string, status = 200) =>
  (calls: ScriptedCall[]) => ({
    status,
    body: { jsonrpc: "2.0", id: calls[0]?.id, error: { code: -32_000, message } },
  });
const at = (place: { blockNumber?: string; blockTimestamp?: string } = {}) => ({
  chainId: "7",
  address: ADDRESS,
  ...place,
});

describe("a native balance", () => {
  it("is asked of the node by the hash of the last indexed block, with the node's headers, after one statement", async () => {
    await putBlocks(10, 20);
    await using opened = await open(says("0x1158e460913d00000"));
    const statements = await statementsOf(async () => {
      const { balance, block } = await opened.store.find(at());
      expect(balance).toBe("20000000000000000000");
      expect(block).toEqual({ blockNumber: "1", blockTimestamp: "20", blockHash: `0x${hashOf(1)}` });
    });
    expect(statements).toHaveLength(1);
    expect(opened.node.requests).toMatchObject([
      [{ method: "eth_getBalance", params: [ADDRESS, { blockHash: `0x${hashOf(1)}` }] }],
    ]);
    expect(opened.node.headers[0]).toMatchObject({ authorization: "mine" });
  });

  it.each([
    [{ blockNumber: "0" }, "0"],
    [{ blockNumber: "3" }, "3"],
    [{ blockTimestamp: "10" }, "0"],
    [{ blockTimestamp: "19" }, "0"],
    [{ blockTimestamp: "20" }, "2"],
    [{ blockTimestamp: "29" }, "2"],
    [{ blockTimestamp: "30" }, "3"],
  ])("for %j is that after block %s: the last of those made by then; one statement", async (asked, number) => {
    await putBlocks(10, 20, 20, 30);
    await using opened = await open(says("0x0"));
    const statements = await statementsOf(async () => {
      expect((await opened.store.find(at(asked))).block.blockNumber).toBe(number);
    });
    expect(statements).toHaveLength(1);
    expect(opened.node.requests[0]?.[0]?.params[1]).toEqual({ blockHash: `0x${hashOf(Number(number))}` });
  });

  it.each([
    [{ blockNumber: "2" }, "blockNumber must be at most 1, the last indexed block, got 2"],
    [{ blockTimestamp: "21" }, "blockTimestamp must be at most 20, the time of the last indexed block 1, got 21"],
    [{ blockTimestamp: "9" }, "blockTimestamp must not be before the chain's first block, got 9"],
    [{ blockNumber: "1", blockTimestamp: "20" }, "blockNumber and blockTimestamp must not be given both"],
  ])("for %j is refused, and no node is asked", async (asked, message) => {
    await putBlocks(10, 20);
    await using opened = await open(says("0x0"));
    await expect(opened.store.find(at(asked))).rejects.toMatchObject({ code: "INVALID_PARAMETER", message });
    expect(opened.node.requests).toEqual([]);
  });

  it("before the first block is indexed is UNAVAILABLE", async () => {
    await using opened = await open(says("0x0"));
    for (const asked of [{}, { blockNumber: "0" }, { blockTimestamp: "5" }])
      await expect(opened.store.find(at(asked))).rejects.toMatchObject({
        code: "UNAVAILABLE",
        message: "chain 7 has no indexed block yet",
      });
  });

  it("is asked once by however many at once, and not again while the block stays", async () => {
    await putBlocks(10, 20);
    await using opened = await open(says("0x5"));
    await Promise.all(Array.from({ length: 20 }, () => opened.store.find(at())));
    await opened.store.find(at({ blockNumber: "1" }));
    expect(opened.node.requests).toHaveLength(1);
    await opened.store.find({ ...at(), address: `0x${"cd".repeat(20)}` });
    await opened.store.find(at({ blockNumber: "0" }));
    expect(opened.node.requests).toHaveLength(3);
  });

  it("is asked anew when another block takes the place of the last", async () => {
    await putBlocks(10, 20);
    await using opened = await open((calls, request) => ({ body: results(calls, () => `0x${request}`) }));
    expect((await opened.store.find(at())).balance).toBe("1");
    await setHead(1, 20, hashOf(1, "b"));
    expect((await opened.store.find(at())).balance).toBe("2");
  });

  it("that failed is asked again", async () => {
    await putBlocks(10);
    await using opened = await open((calls, request) => (request === 1 ? refuses("busy")(calls) : says("0x7")(calls)));
    await expect(opened.store.find(at())).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await opened.store.find(at())).balance).toBe("7");
  });

  it("is forgotten when there are too many, the least used first", async () => {
    await putBlocks(10);
    await using opened = await open(says("0x1"), 3);
    const of = (n: number) => opened.store.find({ chainId: "7", address: `0x${n.toString(16).padStart(40, "0")}` });
    const asked = async (...addresses: number[]) => {
      const before = opened.node.requests.length;
      for (const n of addresses) await of(n);
      return opened.node.requests.length - before;
    };
    expect(await asked(1, 2, 3, 1)).toBe(3);
    expect(await asked(4)).toBe(1);
    expect(await asked(1, 3, 4)).toBe(0);
    expect(await asked(2)).toBe(1);
  });
});

const GONE = "the node of chain 7 does not keep the state of block 0: only an archive node does";
const ELSEWHERE = "the node of chain 7 does not have block 0 as it is indexed, try again later";
const LATER = "the node of chain 7 cannot answer now, try again later";

describe("what a node answers in place of a balance", () => {
  it.each<[said: string, answer: (calls: ScriptedCall[]) => ScriptedAnswer | null, code: string, message: string]>([
    ["a missing state", refuses("missing trie node 1a2b (path ) state 0x3c is not available"), "NOT_FOUND", GONE],
    ["a pruned state", refuses("BlockOutOfRangeError: block height is 100 but requested was 0"), "NOT_FOUND", GONE],
    ["an unknown block", refuses("header for hash not found"), "UNAVAILABLE", ELSEWHERE],
    ["anvil's unknown block", refuses("Resource not found"), "UNAVAILABLE", ELSEWHERE],
    ["a start-up", refuses("API call rejected because chain is not done bootstrapping"), "UNAVAILABLE", LATER],
    ["too many", refuses("rate limit exceeded", 429), "UNAVAILABLE", LATER],
    [
      "another error",
      refuses("secret /path"),
      "UPSTREAM_FAILED",
      "the node of chain 7 refuses to tell a balance after block 0",
    ],
    [
      "HTTP 503",
      () => ({ status: 503, body: "secret" }),
      "UNAVAILABLE",
      "the node of chain 7 answers HTTP 503 without a result",
    ],
    ["HTTP 429", () => ({ status: 429 }), "UNAVAILABLE", "the node of chain 7 answers HTTP 429 without a result"],
    [
      "HTTP 404",
      () => ({ status: 404, body: "secret" }),
      "UPSTREAM_FAILED",
      "the node of chain 7 answers HTTP 404 without a result",
    ],
    ["HTML", () => ({ body: "<html>" }), "UPSTREAM_FAILED", "the node of chain 7 answers HTTP 200 without a result"],
    ["a number", says(12 as never), "UPSTREAM_FAILED", "the node of chain 7 answers a balance that is none"],
    ["33 bytes", says(`0x1${"0".repeat(64)}`), "UPSTREAM_FAILED", "the node of chain 7 answers a balance that is none"],
    ["no hex", says("0x"), "UPSTREAM_FAILED", "the node of chain 7 answers a balance that is none"],
    ["megabytes", () => ({ body: " ".repeat(1 << 21) }), "UNAVAILABLE", "the node of chain 7 gives no answer"],
    ["nothing", () => null, "UNAVAILABLE", "the node of chain 7 gives no answer"],
    ["something late", () => ({ delayMs: 600 }), "UNAVAILABLE", "the node of chain 7 gives no answer"],
  ])("%s", async (_, answer, code, message) => {
    await putBlocks(10);
    await using opened = await open(answer);
    await expect(opened.store.find(at())).rejects.toMatchObject({ code, message });
  });
});
