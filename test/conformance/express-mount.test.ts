import { sampled } from "../support/full.ts";
import { type Api, startApi } from "./api.ts";
import { CHAIN_RULES } from "./chains.ts";
import { ERC20_TRANSFER_RULES } from "./erc20-transfers.ts";
import { EVM_BLOCK_RULES } from "./evm-blocks.ts";
import { OPERATION_RULES } from "./operations.ts";
import { PATH_RULES } from "./paths.ts";

/** All rules of paths, and a sample of those of routes: whether a server or a Router answers makes no difference to them. */
const RULES = [
  ...PATH_RULES,
  ...sampled([...CHAIN_RULES, ...EVM_BLOCK_RULES, ...ERC20_TRANSFER_RULES, ...OPERATION_RULES], 20),
];

describe("the Router mounted in an Express app", () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ expressPrefix: "/prefix" });
  });
  afterAll(() => api[Symbol.asyncDispose]());

  it.each(RULES)("$id $level $title", ({ check }) => check(api));
});
