import { createChains } from "../../../core/networks/chains.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
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
import { createAccountNode } from "../account-node/account-node.ts";
import { createFindBlock } from "./find-block.ts";
import { createNativeBalanceStore, type NativeBalanceStore } from "./store.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const hashOf = (number: number, branch = "a") => branch.repeat(60) + number.toString().padStart(4, "0");

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

/** Inserts blocks with these timestamps, from block 0 on, and sets the head to the last one. */
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

/** Opens the store with a node whose responses the test defines. */
async function open(
  answer: (calls: ScriptedCall[], request: number) => ScriptedAnswer | null,
  maxCached = 1_000,
): Promise<Opened> {
  const node = await startScriptedNode(answer);
  const nodeHeaders = { authorization: "secret" };
  const chain = { chainId: 7, network: "fuji", chainName: "Any", nodeUrl: node.url, nodeHeaders };
  const accounts = createAccountNode({ requestTimeoutMs: 300 });
  const store = createNativeBalanceStore({
    chains: createChains(testConfig({ evmChains: [chain] })),
    findBlock: createFindBlock(database),
    node: accounts,
    maxCached,
  });
  return {
    store,
    node,
    async [Symbol.asyncDispose]() {
      await accounts[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

const returns = (balance: string) => (calls: ScriptedCall[]) => ({ body: results(calls, () => balance) });
const fails =
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
  it("is read from the node by the hash of the last indexed block, with the configured headers, after one statement", async () => {
    await putBlocks(10, 20);
    await using opened = await open(returns("0x1158e460913d00000"));
    const statements = await statementsOf(async () => {
      const { balance, block } = await opened.store.find(at(), SERVICE_WORK);
      expect(balance).toBe("20000000000000000000");
      expect(block).toMatchObject({ blockNumber: "1", blockTimestamp: "20", blockHash: `0x${hashOf(1)}` });
    });
    expect(statements).toHaveLength(1);
    expect(opened.node.requests).toMatchObject([
      [{ method: "eth_getBalance", params: [ADDRESS, { blockHash: `0x${hashOf(1)}` }] }],
    ]);
    expect(opened.node.headers[0]).toMatchObject({ authorization: "secret" });
  });

  it.each([
    [{ blockNumber: "0" }, "0"],
    [{ blockNumber: "3" }, "3"],
    [{ blockTimestamp: "10" }, "0"],
    [{ blockTimestamp: "19" }, "0"],
    [{ blockTimestamp: "20" }, "2"],
    [{ blockTimestamp: "29" }, "2"],
    [{ blockTimestamp: "30" }, "3"],
  ])("for %j is that after block %s, the last one at that time, in one statement", async (asked, number) => {
    await putBlocks(10, 20, 20, 30);
    await using opened = await open(returns("0x0"));
    const statements = await statementsOf(async () => {
      expect((await opened.store.find(at(asked), SERVICE_WORK)).block.blockNumber).toBe(number);
    });
    expect(statements).toHaveLength(1);
    expect(opened.node.requests[0]?.[0]?.params[1]).toEqual({ blockHash: `0x${hashOf(Number(number))}` });
  });

  it.each([
    [{ blockNumber: "2" }, "blockNumber must be at most 1, the last indexed block, got 2"],
    [{ blockTimestamp: "21" }, "blockTimestamp must be at most 20, the timestamp of the last indexed block 1, got 21"],
    [{ blockTimestamp: "9" }, "blockTimestamp must not be before the chain's first block, got 9"],
    [{ blockNumber: "1", blockTimestamp: "20" }, "blockNumber and blockTimestamp must not both be given"],
  ])("for %j is rejected without a call of the node", async (asked, message) => {
    await putBlocks(10, 20);
    await using opened = await open(returns("0x0"));
    await expect(opened.store.find(at(asked), SERVICE_WORK)).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
      message,
    });
    expect(opened.node.requests).toEqual([]);
  });

  it("is UNAVAILABLE before the first block is indexed", async () => {
    await using opened = await open(returns("0x0"));
    for (const asked of [{}, { blockNumber: "0" }, { blockTimestamp: "5" }])
      await expect(opened.store.find(at(asked), SERVICE_WORK)).rejects.toMatchObject({
        code: "UNAVAILABLE",
        message: "chain 7 is not indexed yet: its indexer has not started",
      });
  });

  it("is read from the node once for concurrent and later requests for the same block", async () => {
    await putBlocks(10, 20);
    await using opened = await open(returns("0x5"));
    await Promise.all(Array.from({ length: 20 }, () => opened.store.find(at(), SERVICE_WORK)));
    await opened.store.find(at({ blockNumber: "1" }), SERVICE_WORK);
    expect(opened.node.requests).toHaveLength(1);
    await opened.store.find({ ...at(), address: `0x${"cd".repeat(20)}` }, SERVICE_WORK);
    await opened.store.find(at({ blockNumber: "0" }), SERVICE_WORK);
    expect(opened.node.requests).toHaveLength(3);
  });

  it("is read again after a reorganisation replaced the last block", async () => {
    await putBlocks(10, 20);
    await using opened = await open((calls, request) => ({ body: results(calls, () => `0x${request}`) }));
    expect((await opened.store.find(at(), SERVICE_WORK)).balance).toBe("1");
    await setHead(1, 20, hashOf(1, "b"));
    expect((await opened.store.find(at(), SERVICE_WORK)).balance).toBe("2");
  });

  it("is read again after an error", async () => {
    await putBlocks(10);
    await using opened = await open((calls, request) => (request === 1 ? fails("busy")(calls) : returns("0x7")(calls)));
    await expect(opened.store.find(at(), SERVICE_WORK)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await opened.store.find(at(), SERVICE_WORK)).balance).toBe("7");
  });

  it("is removed from a full cache, the least recently used first", async () => {
    await putBlocks(10);
    await using opened = await open(returns("0x1"), 3);
    const of = (n: number) =>
      opened.store.find({ chainId: "7", address: `0x${n.toString(16).padStart(40, "0")}` }, SERVICE_WORK);
    const requestsFor = async (...addresses: number[]) => {
      const before = opened.node.requests.length;
      for (const n of addresses) await of(n);
      return opened.node.requests.length - before;
    };
    expect(await requestsFor(1, 2, 3, 1)).toBe(3);
    expect(await requestsFor(4)).toBe(1);
    expect(await requestsFor(1, 3, 4)).toBe(0);
    expect(await requestsFor(2)).toBe(1);
  });
});

const GONE = "the node of chain 7 no longer has the state of block 0: only an archive node keeps it";
const ELSEWHERE = "the node of chain 7 does not have the indexed block 0, try again later";
const LATER = "the node of chain 7 cannot respond at present, try again later";

describe("an error of the node", () => {
  it.each<[name: string, answer: (calls: ScriptedCall[]) => ScriptedAnswer | null, code: string, message: string]>([
    ["a missing state", fails("missing trie node 1a2b (path ) state 0x3c is not available"), "NOT_FOUND", GONE],
    ["a pruned state", fails("BlockOutOfRangeError: block height is 100 but requested was 0"), "NOT_FOUND", GONE],
    ["an unknown block", fails("header for hash not found"), "UNAVAILABLE", ELSEWHERE],
    ["anvil's unknown block", fails("Resource not found"), "UNAVAILABLE", ELSEWHERE],
    ["a start-up", fails("API call rejected because chain is not done bootstrapping"), "UNAVAILABLE", LATER],
    ["too many", fails("rate limit exceeded", 429), "UNAVAILABLE", LATER],
    ["another error", fails("secret /path"), "UNAVAILABLE", LATER],
    ["an error without a text", fails(null as never), "UNAVAILABLE", LATER],
    [
      "HTTP 503",
      () => ({ status: 503, body: "secret" }),
      "UNAVAILABLE",
      "the node of chain 7 responded with HTTP 503 and no result",
    ],
    ["HTTP 429", () => ({ status: 429 }), "UNAVAILABLE", "the node of chain 7 responded with HTTP 429 and no result"],
    [
      "HTTP 404",
      () => ({ status: 404, body: "secret" }),
      "UPSTREAM_FAILED",
      "the node of chain 7 responded with HTTP 404 and no result",
    ],
    [
      "HTML",
      () => ({ body: "<html>" }),
      "UPSTREAM_FAILED",
      "the node of chain 7 responded with HTTP 200 and no result",
    ],
    ["a number", returns(12 as never), "UPSTREAM_FAILED", "the node of chain 7 returned an invalid balance"],
    ["33 bytes", returns(`0x1${"0".repeat(64)}`), "UPSTREAM_FAILED", "the node of chain 7 returned an invalid balance"],
    ["no hex", returns("0x"), "UPSTREAM_FAILED", "the node of chain 7 returned an invalid balance"],
    ["megabytes", () => ({ body: " ".repeat(11 << 20) }), "UNAVAILABLE", "the node of chain 7 does not respond"],
    ["nothing", () => null, "UNAVAILABLE", "the node of chain 7 does not respond"],
    ["something late", () => ({ delayMs: 600 }), "UNAVAILABLE", "the node of chain 7 does not respond"],
  ])("%s", async (_, answer, code, message) => {
    await putBlocks(10);
    await using opened = await open(answer);
    await expect(opened.store.find(at(), SERVICE_WORK)).rejects.toMatchObject({ code, message });
  });
});
