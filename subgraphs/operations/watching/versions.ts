/** Maximum number of known versions. The oldest is forgotten first: the state of its operation is sent again if it is read again. */
const MAX_VERSIONS = 100_000;

/** The newest versions of operations that were seen. */
export interface Versions {
  /** Returns true, and remembers the version, if it is newer than every version of the operation that was seen before. */
  isNewer(operationId: string, version: bigint): boolean;
}

export function createVersions(): Versions {
  const newest = new Map<string, bigint>();
  return {
    isNewer(operationId, version) {
      const known = newest.get(operationId);
      if (known !== undefined && known >= version) return false;
      // Deleted first, so that the map begins with the operations that have not changed for longest.
      newest.delete(operationId);
      newest.set(operationId, version);
      if (newest.size > MAX_VERSIONS) newest.delete(newest.keys().next().value as string);
      return true;
    },
  };
}
