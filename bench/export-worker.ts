import { configSchema } from "../core/config-schema.ts";
import { createLogger } from "../core/logger.ts";
import { startExporter } from "../exporter/exporter.ts";
import { parentInput, serveParent } from "./child.ts";
import type { ServerInput } from "./servers.ts";

/** The value that the parent passes to a worker of export jobs. */
export interface WorkerInput extends Pick<ServerInput, "url" | "evmChains"> {
  readonly directory: string;
}

const { url, evmChains, directory } = parentInput() as WorkerInput;
const config = configSchema.parse({ evmChains, exports: { directory } });
startExporter({ config, databaseUrl: url, logger: createLogger("error") });
// It serves no port.
serveParent(0);
