import { createConfig } from "ponder";
import { erc20Abi } from "viem";

const { BENCH_CHAIN_ID, BENCH_NODE_URLS, BENCH_DATABASE_URL, BENCH_LAST_BLOCK } = process.env;

export default createConfig({
  database: { kind: "postgres", connectionString: BENCH_DATABASE_URL },
  chains: { synthetic: { id: Number(BENCH_CHAIN_ID), rpc: JSON.parse(BENCH_NODE_URLS) } },
  contracts: {
    // The transfers of all tokens.
    Token: {
      chain: "synthetic",
      abi: erc20Abi,
      startBlock: 0,
      endBlock: Number(BENCH_LAST_BLOCK),
      includeTransactionReceipts: true,
    },
  },
});
