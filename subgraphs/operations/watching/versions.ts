/** A version is forgotten when so many operations have changed since. It is then sent again if it is read again. */
const MAX_VERSIONS = 100_000;

/** The newest versions of operations that were seen. */
export interface Versions {
  /** True if the version is newer than the newest seen one, which it then becomes. */
  isNewer(operationId: string, version: bigint): boolean;
}

export function createVersions(): Versions {
  const newest = new Map<string, bigint>();
  return {
    isNewer(operationId, version) {
      const known = newest.get(operationId);
      if (known !== undefined && known >= version) return false;
      // Deleted first, so that the map begins with those that have not changed for longest.
      newest.delete(operationId);
      newest.set(operationId, version);
      if (newest.size > MAX_VERSIONS) newest.delete(newest.keys().next().value as string);
      return true;
    },
  };
}
