import { fileURLToPath } from "node:url";
import { type KeptService, keepService } from "../process/keep-service.ts";
import { forkService, type ServiceInput } from "../process/service-process.ts";
import type { SignatureProcessOptions } from "../process/start-service.ts";
import type { RecordedNetwork } from "./recorded-contents.ts";

/** What the process of the service needs in the demo. */
export interface DemoServiceInput extends ServiceInput {
  readonly recorded: RecordedNetwork;
}

const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

/**
 * The same as `startSignatureService`, and its process also simulates the validators of a recorded network. `recorded` is called at
 * each start, because the network takes several MB.
 */
export function startDemoService(
  { config, databaseUrl, logger }: SignatureProcessOptions,
  recorded: () => RecordedNetwork,
): KeptService {
  const inputOf = (): DemoServiceInput => ({ config, databaseUrl, recorded: recorded(), logLevel: logger.level });
  return keepService(() => forkService(inputOf(), SCRIPT), logger);
}
