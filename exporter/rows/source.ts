import type { Config } from "../../core/config/config-schema.ts";
import type { ExportRequest } from "../../core/database/operations.ts";
import type { ExportSource } from "../export-source.ts";
import { createEvmSource } from "./evm/source.ts";
import { createMovementSource } from "./primary/movement-source.ts";
import { createStakeSource } from "./primary/stake-source.ts";

/** Throws `INVALID_PARAMETER` if the configuration does not have a chain or network of the request any more. */
export function createExportSource(request: ExportRequest, { config }: { readonly config: Config }): ExportSource {
  switch (request.type) {
    case "TRANSACTION_EXPORT_EVM":
      return createEvmSource(request, config);
    case "TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING":
      return createStakeSource(request, config);
    default:
      return createMovementSource(request, config);
  }
}
