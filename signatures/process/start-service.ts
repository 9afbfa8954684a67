import type { Config } from "../../core/config/config-schema.ts";
import { messageOf } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { requireIdentityDirectories } from "../service/identity-directories.ts";
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
  // The service itself checks them only when it starts.
  requireIdentityDirectories(config).catch((error: unknown) => logger.error(messageOf(error)));
  return keepService(() => forkService({ config, databaseUrl, logLevel: logger.level }), logger);
}
