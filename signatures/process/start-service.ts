import type { Config } from "../../core/config-schema.ts";
import type { Logger } from "../../core/logger.ts";
import type { RecordedNetwork } from "../demo/recorded-contents.ts";
import { type KeptService, keepService } from "./keep-service.ts";
import { forkService } from "./service-process.ts";

export interface SignatureProcessOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** A network without live validators, such as that of the demo: the process simulates them. */
  readonly recorded?: RecordedNetwork | undefined;
  readonly logger: Logger;
}

/**
 * Starts the signature service in a process of its own, so that many connections and verifications never delay the API. Does not
 * wait for it: `url` is null until it listens, and while it is started again.
 */
export function startSignatureService(options: SignatureProcessOptions): KeptService {
  const { config, databaseUrl, recorded, logger } = options;
  return keepService(() => forkService({ config, databaseUrl, recorded, logLevel: logger.level }), logger);
}
