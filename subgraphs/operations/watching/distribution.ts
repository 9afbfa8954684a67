import { SERVICE_WORK } from "../../../core/work/work.ts";
import type { OperationStore } from "../operations/store.ts";
import type { Operation } from "../operations/types.ts";
import { createRowReader } from "./row-reader.ts";
import { createTopics, type Topics } from "./topics.ts";
import { createVersions } from "./versions.ts";

/** Reads operations, and sends each state to its receivers if it is newer than what was sent before. */
export interface Distribution {
  /** Receivers of single operations, by id. */
  readonly ofOperation: Topics;
  /** Receivers of all operations of an owner, by owner. */
  readonly ofOwner: Topics;
  /** Reads an operation. Returns null, and sends null to its receivers, if it does not exist. */
  read(operationId: string): Promise<Operation | null>;
  /** Reads the owners' operations that are running, or that changed at or after a time in seconds. */
  readOwners(owners: readonly string[], sinceSeconds: number): Promise<Operation[]>;
  /** Reads all operations and owners that have receivers, as `read` and `readOwners` do. */
  readAll(sinceSeconds: number): Promise<void>;
}

export function createDistribution(operations: Pick<OperationStore, "byIds" | "runningOrChanged">): Distribution {
  const ofOperation = createTopics();
  const ofOwner = createTopics();
  const versions = createVersions();
  const readRow = createRowReader((operationIds) => operations.byIds(operationIds, SERVICE_WORK));

  function send(operation: Operation): Operation {
    const { operationId, owner, version } = operation;
    if (versions.isNewer(operationId, version)) {
      ofOperation.send(operationId, operation);
      ofOwner.send(owner, operation);
    }
    return operation;
  }

  async function read(operationId: string): Promise<Operation | null> {
    const operation = await readRow(operationId);
    if (operation) return send(operation);
    ofOperation.send(operationId, null);
    return null;
  }

  async function readOwners(owners: readonly string[], sinceSeconds: number): Promise<Operation[]> {
    if (owners.length === 0) return [];
    return (await operations.runningOrChanged(owners, sinceSeconds, SERVICE_WORK)).map(send);
  }

  return {
    ofOperation,
    ofOwner,
    read,
    readOwners,
    async readAll(sinceSeconds) {
      await Promise.all([...ofOperation.names().map(read), readOwners(ofOwner.names(), sinceSeconds)]);
    },
  };
}
