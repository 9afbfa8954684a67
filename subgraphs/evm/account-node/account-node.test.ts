import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { testConfig } from "../../../test/support/config.ts";
import {
  results,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedNode,
  startScriptedNode,
} from "../../../test/support/node/scripted-node.ts";
import { type AccountNode, createAccountNode } from "./account-node.ts";

const BLOCK = { blockNumber: "5", blockTimestamp: "9", blockHash: `0x${"aa".repeat(32)}` };
const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;
/** The balance of address n is n, its code is n as one byte. */
const resultOf = ({ method, params }: ScriptedCall): string => {
  const n = Number(params[0]);
  return method === "eth_getCode" ? `0x${n.toString(16).padStart(2, "0")}` : `0x${n.toString(16)}`;
};

let node: ScriptedNode;
let accounts: AccountNode;
let chains: [EvmChainConfig, EvmChainConfig];
let answer: (calls: ScriptedCall[]) => ScriptedAnswer | null;

beforeEach(async () => {
  node = await startScriptedNode((calls) => answer(calls));
  accounts = createAccountNode({ requestTimeoutMs: 1_000 });
  const evmChains = [7, 8].map((chainId) => ({ chainId, network: "fuji", chainName: "Any", nodeUrl: node.url }));
  chains = testConfig({ evmChains }).evmChains as [EvmChainConfig, EvmChainConfig];
  answer = (calls) => ({ body: results(calls, resultOf) });
});
afterEach(async () => {
  await accounts[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});

/** Reads balance and code of addresses 1 to `count` on both chains in one tick. */
function readAll(count: number): Promise<PromiseSettledResult<string>[]> {
  const addresses = Array.from({ length: count }, (_, index) => addressOf(index + 1));
  return Promise.allSettled(
    chains.flatMap((chain) =>
      addresses.flatMap((address) => [accounts.balance(chain, BLOCK, address), accounts.code(chain, BLOCK, address)]),
    ),
  );
}

const valuesOf = (settled: readonly PromiseSettledResult<string>[]) =>
  settled.map((result) => (result.status === "fulfilled" ? result.value : result.reason.message));
const ALL = [1, 2, 1, 2].flatMap((n) => [String(n), `0x0${n}`]);
const sizes = () => node.requests.map((calls) => calls.length).sort((a, b) => a - b);

describe("balances and codes that are read in one tick", () => {
  it("are one HTTP request for each chain", async () => {
    expect(valuesOf(await readAll(2))).toEqual(ALL);
    expect(sizes()).toEqual([4, 4]);
  });

  it("are requests of at most one hundred calls", async () => {
    const values = valuesOf(await readAll(60));
    expect(values.slice(118, 122)).toEqual(["60", "0x3c", "1", "0x01"]);
    expect(sizes()).toEqual([20, 20, 100, 100]);
  });

  it("may be answered in any order", async () => {
    answer = (calls) => ({ body: (results(calls, resultOf) as unknown[]).reverse() });
    expect(valuesOf(await readAll(2))).toEqual(ALL);
  });

  it("are read one by one from a node that refuses batches", async () => {
    const refusal = { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "no batches" } };
    answer = (calls) => ({ body: calls.length > 1 ? refusal : results(calls, resultOf) });
    expect(valuesOf(await readAll(2))).toEqual(ALL);
    expect(sizes()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 4, 4]);
  });

  it("are not read one by one from an overloaded node", async () => {
    answer = () => ({ status: 429, body: { id: null, error: { code: -32_005, message: "too many requests" } } });
    const message = (chainId: number) => `the node of chain ${chainId} responded with HTTP 429 and no result`;
    expect(valuesOf(await readAll(2))).toEqual([7, 7, 7, 7, 8, 8, 8, 8].map(message));
    expect(sizes()).toEqual([4, 4]);
  });

  it("fail independently of each other", async () => {
    answer = (calls) => ({
      body: calls
        .filter(({ id }) => id !== 2)
        .map((call) =>
          call.id === 1
            ? { id: 1, error: { code: -32_000, message: "missing trie node" } }
            : { id: call.id, result: resultOf(call) },
        ),
    });
    expect(valuesOf(await readAll(2)).slice(0, 4)).toEqual([
      "1",
      "the node of chain 7 no longer has the state of block 5: only an archive node keeps it",
      "the node of chain 7 returned no answer to eth_getBalance",
      "0x02",
    ]);
  });

  it("do not wait for the node of another chain", async () => {
    await using silent = await startScriptedNode(() => null);
    const slow = accounts.balance({ ...chains[1], nodeUrl: silent.url }, BLOCK, addressOf(1)).catch(() => "slow");
    const fast = accounts.balance(chains[0], BLOCK, addressOf(1));
    expect(await Promise.race([slow, fast])).toBe("1");
    await accounts[Symbol.asyncDispose]();
    expect(await slow).toBe("slow");
  });
});
