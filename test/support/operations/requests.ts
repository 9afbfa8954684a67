import type { ExportRequest } from "../../../core/database/operations.ts";
import { testConfig } from "../config.ts";

const nodeUrl = "http://127.0.0.1:1/ext/bc/C/rpc";

/** Two EVM chains of Fuji, the first with a blockchain id. */
export const EVM_CHAINS = [
  {
    chainId: 43113,
    network: "fuji",
    chainName: "C-Chain",
    nodeUrl,
    blockchainId: "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
  },
  { chainId: 99, network: "fuji", chainName: "An L1", nodeUrl },
] as const;

/** Settings with the two chains, and others that a test needs. */
export const exportConfig = (settings: Readonly<Record<string, unknown>> = {}) =>
  testConfig({ evmChains: EVM_CHAINS, ...settings });

/** A valid stored request of an EVM export; `index` makes it different from others. */
export function evmRequest(index = 0): ExportRequest {
  return {
    type: "TRANSACTION_EXPORT_EVM",
    firstDate: null,
    lastDate: null,
    addresses: [`0x${index.toString(16).padStart(40, "0")}`],
    chainIds: ["43113"],
    compression: "NONE",
  };
}
