import type { Config } from "../../../core/config/config-schema.ts";
import type { PrimaryExportRequest } from "../../../core/database/operations.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { parseIdText } from "../../../core/formats/id-text.ts";
import type { ExportedNetwork } from "./network.ts";

export type PrimarySourceConfig = Pick<Config, "evmChains" | "prices" | "primaryNetworks">;

/** Throws `INVALID_PARAMETER` if the network of the request is not configured any more. */
export function requireConfigured(request: PrimaryExportRequest, config: PrimarySourceConfig): void {
  if (!config.primaryNetworks.some(({ networkId }) => networkId === request.networkId))
    throw new Failure(
      "INVALID_PARAMETER",
      `network ${request.network} (${request.networkId}) is not configured any more`,
    );
}

/** EVM chain id of a network's C-Chain; null if the C-Chain is not configured. */
export function evmChainIdOf(config: PrimarySourceConfig, { cChainId }: ExportedNetwork): number | null {
  const isCChain = (id: string | undefined) => id !== undefined && parseIdText(id) === cChainId.slice(2);
  return config.evmChains.find(({ blockchainId }) => isCChain(blockchainId))?.chainId ?? null;
}
