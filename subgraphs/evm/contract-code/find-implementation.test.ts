import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { testConfig } from "../../../test/support/config.ts";
import { results, type ScriptedNode, startScriptedNode } from "../../../test/support/node/scripted-node.ts";
import { type AccountNode, createAccountNode, type ReadAccount } from "../account-node/account-node.ts";
import { createFindImplementation } from "./find-implementation.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const TARGET = "12".repeat(20);
const BLOCK = { blockNumber: "5", blockTimestamp: "9", blockHash: `0x${"aa".repeat(32)}` };
const ZERO = `0x${"0".repeat(64)}`;
const minimal = (target: string): string => `0x363d3d373d3d3d363d73${target}5af43d82803e903d91602b57fd5bf3`;

const state: Record<string, unknown> = {};
let node: ScriptedNode;
let accounts: AccountNode;
let find: ReadAccount<string | null>;
let chain: EvmChainConfig;

beforeEach(async () => {
  node = await startScriptedNode((calls) => ({ body: results(calls, ({ method }) => state[method]) }));
  accounts = createAccountNode({ requestTimeoutMs: 1_000 });
  find = createFindImplementation(accounts);
  const evmChains = [{ chainId: 7, network: "fuji", chainName: "Any", nodeUrl: node.url }];
  [chain] = testConfig({ evmChains }).evmChains as [EvmChainConfig];
});
afterEach(async () => {
  await accounts[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});

describe("the implementation of a proxy", () => {
  it.each<[what: string, word: string, code: string, expected: string | null]>([
    ["its storage (EIP-1967)", `0x${"0".repeat(24)}${TARGET}`, "0x6080", `0x${TARGET}`],
    ["its code (EIP-1167)", ZERO, minimal(TARGET), `0x${TARGET}`],
    ["its code with PUSH0", ZERO, `0x365f5f375f5f365f73${TARGET}5af43d5f5f3e5f3d91602a57fd5bf3`, `0x${TARGET}`],
    ["neither: code that only begins like a proxy", ZERO, `${minimal(TARGET)}00`, null],
    ["neither: no code", ZERO, "0x", null],
  ])("follows from %s, asked of the node in one request", async (_, word, code, expected) => {
    Object.assign(state, { eth_getStorageAt: word, eth_getCode: code });
    expect(await find(chain, BLOCK, ADDRESS)).toBe(expected);
    expect(node.requests).toHaveLength(1);
    const position = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    expect(node.requests[0]).toMatchObject([
      { method: "eth_getStorageAt", params: [ADDRESS, position, { blockHash: BLOCK.blockHash }] },
      { method: "eth_getCode", params: [ADDRESS, { blockHash: BLOCK.blockHash }] },
    ]);
  });

  it("is an error if the node's word is invalid", async () => {
    Object.assign(state, { eth_getStorageAt: "0x0", eth_getCode: "0x" });
    await expect(find(chain, BLOCK, ADDRESS)).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
  });
});
