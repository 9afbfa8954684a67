import type pg from "pg";
import { Failure } from "../../../core/errors/errors.ts";
import { tryLock, unlock } from "../../shared/advisory-lock.ts";
import { nameList, type PartitionServer, partitionServer } from "../../shared/partition-server.ts";
import { PARTITIONED } from "../store/tables.ts";

type Client = Pick<pg.Client, "query">;

/** The indexes of some tables. An index that an interrupted run left behind is not valid. */
const indexesOfTables = (
  names: readonly string[],
): string => `SELECT format('%I.%I', n.nspname, c.relname) AS name, i.indisvalid AS "isValid", pg_relation_size(c.oid)::text AS bytes
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE i.indrelid IN (SELECT to_regclass(name) FROM ${nameList(names)} AS name) ORDER BY c.relname`;

interface Index {
  readonly name: string;
  readonly isValid: boolean;
  readonly bytes: string;
}

export interface RebuildOptions {
  /** Ends the rebuilding between two statements; it then rejects with the reason. */
  readonly signal: AbortSignal;
  /** Gets a line for each index. */
  readonly report: (line: string) => void;
}

/**
 * Rebuilds the indexes of a chain's tables with full pages, one after another. The indexer and the API may run. Resolves with a line
 * about the sizes. An interrupted run leaves an index that is not valid; the next run drops it. A failed run drops it itself. Rejects if
 * another session rebuilds the indexes of this chain.
 */
export async function rebuildIndexes(client: Client, chainId: string, options: RebuildOptions): Promise<string> {
  // Two runs would wait for each other's indexes. PostgreSQL keeps the lock of a process that was killed until its statement has ended.
  const lock = `moraine indexes ${chainId}`;
  if (!(await tryLock(client, lock)))
    throw new Failure("UNAVAILABLE", `another process rebuilds the indexes of chain ${chainId}`);
  try {
    return await rebuildAll(await partitionServer(client, PARTITIONED, chainId), chainId, options);
  } finally {
    // The end of a session that is lost releases its locks, too.
    await unlock(client, lock).catch(() => {});
  }
}

async function rebuildAll(server: PartitionServer, chainId: string, options: RebuildOptions): Promise<string> {
  const { signal, report } = options;
  const before = await indexesOf(server);
  await dropInvalid(server, options);
  for (const { name } of before.filter(({ isValid }) => isValid)) {
    signal.throwIfAborted();
    try {
      // Cannot run in a transaction. It does not wait for readers, and writers do not wait for it.
      await server.execute(`REINDEX INDEX CONCURRENTLY ${name}`);
    } catch (error) {
      // If the disk is full, the new index takes the space that the database needs. A process that ends leaves this to the next run.
      if (!signal.aborted) await dropInvalid(server, options).catch(() => {});
      throw error;
    }
    report(`rebuilt ${name}`);
  }
  const after = await indexesOf(server);
  return `chain ${chainId}: ${before.length} indexes took ${megabytes(before)} MB, now ${megabytes(after)} MB`;
}

async function dropInvalid(server: PartitionServer, { signal, report }: RebuildOptions): Promise<void> {
  const indexes = await indexesOf(server);
  for (const { name } of indexes.filter(({ isValid }) => !isValid)) {
    signal.throwIfAborted();
    await server.execute(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    report(`dropped ${name}, which an interrupted run left behind`);
  }
}

const indexesOf = (server: PartitionServer): Promise<Index[]> =>
  server.query<Index>(indexesOfTables(server.partitions));

const megabytes = (indexes: readonly Index[]): string =>
  (indexes.reduce((sum, { bytes }) => sum + Number(bytes), 0) / 2 ** 20).toFixed(1);
