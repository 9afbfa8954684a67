import { join } from "node:path";
import { messageOf } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { Clock } from "../clock.ts";
import { createIdentity, type Identity } from "../p2p/identity/identity.ts";
import { createCertificate, IDENTITY_FILE, loadIdentityFile } from "../p2p/identity/identity-file.ts";
import { lockIdentity } from "../p2p/identity/identity-lock.ts";

export interface IdentityOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface OpenIdentity {
  readonly identity: Identity;
  /** Disposing it lets other processes use the certificate. Null if another process uses it. */
  readonly lock: AsyncDisposable | null;
}

/** The kept certificate cannot be used. The message is for the operator: it names the file, the reason, and what to do. */
export class UnusableIdentity extends Error {
  override readonly name = "UnusableIdentity";
}

/**
 * The certificate of the directory, which is created the first time, or a new one for this run if another process uses it: nodes
 * keep only one connection for each certificate. Throws `UnusableIdentity`; then nothing is reserved.
 */
export async function openIdentity({ directory, clock, logger }: IdentityOptions): Promise<OpenIdentity> {
  const lock = await lockIdentity(directory).catch((error: unknown) => {
    throw new UnusableIdentity(`the certificate in ${directory} cannot be reserved: ${messageOf(error)}`);
  });
  const nowSeconds = clock.unixSeconds();
  if (!lock) {
    logger.warn(
      { directory },
      `another process uses the certificate in ${directory}; this process uses a new one until it ends. L1s that admit only known node ids will not answer it`,
    );
    return { lock, identity: createIdentity(await createCertificate(), nowSeconds) };
  }
  try {
    return { lock, identity: createIdentity(await loadIdentityFile(directory), nowSeconds) };
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    const path = join(directory, IDENTITY_FILE);
    throw new UnusableIdentity(
      `the certificate file ${path} cannot be used: ${messageOf(error)}. Repair or delete it: if it is deleted, a new certificate is created, which has a new node id`,
    );
  }
}
