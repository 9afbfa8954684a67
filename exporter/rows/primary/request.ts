import type { Config } from "../../../core/config-schema.ts";
import { Failure } from "../../../core/errors.ts";
import type { PrimaryExportRequest } from "../../../core/operations.ts";

export type PrimarySourceConfig = Pick<Config, "evmChains" | "prices" | "primaryNetworks">;

/** Throws `INVALID_PARAMETER` if the network of the request is not configured any more. */
export function requireConfigured(request: PrimaryExportRequest, config: PrimarySourceConfig): void {
  if (!config.primaryNetworks.some(({ networkId }) => networkId === request.networkId))
    throw new Failure(
      "INVALID_PARAMETER",
      `network ${request.network} (${request.networkId}) is not configured any more`,
    );
}
