import type { Config } from "../../core/config-schema.ts";
import type { Logger } from "../../core/logger.ts";
import { type KeptService, keepService } from "./keep-service.ts";
import { forkService } from "./service-process.ts";

export interface SignatureProcessOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logger: Logger;
}

/**
 * The signature service in a process of its own, so that many connections and verifications never delay the API. The process starts
 * when the service is needed for the first time: until then, it would only take memory.
 */
export function startSignatureService(options: SignatureProcessOptions): KeptService {
  const { config, databaseUrl, logger } = options;
  return keepService(() => forkService({ config, databaseUrl, logLevel: logger.level }), logger);
}
