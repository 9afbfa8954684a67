import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { testConfig } from "../../../test/support/config.ts";
import { results, type ScriptedNode, startScriptedNode } from "../../../test/support/node/scripted-node.ts";
import { type AccountNode, createAccountNode, type ReadAccount } from "../account-node/account-node.ts";
import { createIsContract } from "./is-contract.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const block = (hash: string) => ({ blockNumber: "5", blockTimestamp: "9", blockHash: `0x${hash.repeat(32)}` });
const code = { current: "0x" };
let node: ScriptedNode;
let accounts: AccountNode;
let chain: EvmChainConfig;
let isContract: ReadAccount<boolean>;

beforeEach(async () => {
  node = await startScriptedNode((calls) => ({ body: results(calls, () => code.current) }));
  accounts = createAccountNode({ requestTimeoutMs: 1_000 });
  const evmChains = [{ chainId: 7, network: "fuji", chainName: "Any", nodeUrl: node.url }];
  [chain] = testConfig({ evmChains }).evmChains as [EvmChainConfig];
  isContract = createIsContract(accounts);
});
afterEach(async () => {
  await accounts[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});

describe("whether an address is a contract", () => {
  it.each([
    ["0x", false, "no code"],
    ["0x01", true, "the code of an activated precompile"],
    ["0x6080604052", true, "code"],
    [`0x${"60".repeat(49_152)}`, true, "code of 48 KiB"],
    [`0xEF0100${"12".repeat(20)}`, false, "a delegation to a contract (EIP-7702)"],
    [`0xef0100${"12".repeat(21)}`, true, "code that only begins like a delegation"],
  ])("follows from its code %.12s: %s for %s", async (own, expected) => {
    code.current = own;
    expect(await isContract(chain, block("aa"), ADDRESS)).toBe(expected);
    expect(node.requests).toMatchObject([
      [{ method: "eth_getCode", params: [ADDRESS, { blockHash: `0x${"aa".repeat(32)}` }] }],
    ]);
  });

  it("is read from the node once for each block", async () => {
    code.current = "0x60";
    expect(await isContract(chain, block("aa"), ADDRESS)).toBe(true);
    code.current = "0x";
    expect(await isContract(chain, block("aa"), ADDRESS)).toBe(true);
    expect(await isContract(chain, block("bb"), ADDRESS)).toBe(false);
    expect(node.requests).toHaveLength(2);
  });

  it.each(["0x1", "60", 12, null])("is unknown if the code is invalid: %j is an error", async (invalid) => {
    code.current = invalid as string;
    await expect(isContract(chain, block("aa"), ADDRESS)).rejects.toMatchObject({
      code: "UPSTREAM_FAILED",
      message: "the node of chain 7 returned an invalid code",
    });
  });
});
