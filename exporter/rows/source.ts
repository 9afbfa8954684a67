import type { Config } from "../../core/config-schema.ts";
import type { ExportRequest } from "../../core/operations.ts";
import type { ExportSource } from "../export-source.ts";
import { createEvmSource } from "./evm/source.ts";

/** Throws `INVALID_PARAMETER` if the configuration does not have a chain of the request any more. */
export function createExportSource(request: ExportRequest, { config }: { readonly config: Config }): ExportSource {
  if (request.type === "TRANSACTION_EXPORT_EVM") return createEvmSource(request, config);
  throw new Error(`exports of the type ${request.type} are not available`);
}
