import type { Config } from "../../core/config-schema.ts";
import type { Logger } from "../../core/logger.ts";
import type { GivenAddress } from "../service/source.ts";
import { type KeptService, keepService } from "./keep-service.ts";
import { forkService } from "./service-process.ts";

export interface SignatureProcessOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /**
   * Addresses of validators besides those of the settings. `certificateNodeId` names the certificate that is accepted at an
   * address in place of the validator's: validators of the demo never ran, so no certificate has their node ids.
   */
  readonly addresses?: readonly GivenAddress[];
  readonly logger: Logger;
}

/**
 * Starts the signature service in a process of its own, so that many connections and verifications never delay the API. Does not
 * wait for it: `url` is null until it listens, and while it is started again.
 */
export function startSignatureService(options: SignatureProcessOptions): KeptService {
  const { config, databaseUrl, addresses = [], logger } = options;
  return keepService(() => forkService({ config, databaseUrl, addresses, logLevel: logger.level }), logger);
}
