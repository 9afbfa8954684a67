import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../core/config/config-schema.ts";
import { messageOf } from "../../core/errors/errors.ts";

type Directories = Pick<Config, "dataDirectory" | "primaryNetworks">;

/** The directory in which the service keeps its certificate of a network. */
export function identityDirectory(dataDirectory: string, networkId: number): string {
  return join(dataDirectory, "signatures", String(networkId));
}

/**
 * Creates the directories of all networks whose validators the service asks itself, and writes a file in each. Rejects with a message for
 * the operator if that fails. Such a directory may be a volume that belongs to another user.
 */
export async function requireIdentityDirectories({ dataDirectory, primaryNetworks }: Directories): Promise<void> {
  const asked = primaryNetworks.filter(({ signatures }) => signatures.aggregatorUrl === undefined);
  for (const { networkId } of asked) {
    const directory = identityDirectory(dataDirectory, networkId);
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const file = join(directory, `writable-${process.pid}`);
      await writeFile(file, "");
      await rm(file, { force: true });
    } catch (error) {
      throw new Error(
        `the signature service cannot write to ${directory}, where it keeps its certificate of network ${networkId}: ${messageOf(error)}. Give the user of this process the right to write to this directory. Until then, requests for signatures fail`,
        { cause: error },
      );
    }
  }
}
