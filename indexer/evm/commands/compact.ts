import pg from "pg";
import { PARTITIONED } from "../store/tables.ts";
import type { CommandDeps } from "./command.ts";

/** The indexes of some tables. An index that an interrupted run left behind is not valid. */
const INDEXES = `SELECT format('%I.%I', n.nspname, c.relname) AS name, i.indisvalid AS "isValid", pg_relation_size(c.oid)::text AS bytes
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE i.indrelid IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS name) ORDER BY c.relname`;

interface Index {
  readonly name: string;
  readonly isValid: boolean;
  readonly bytes: string;
}

type CompactDeps = Pick<CommandDeps, "url" | "signal" | "report"> & {
  readonly rules: Pick<CommandDeps["rules"], "chainId">;
};

/**
 * Rebuilds the indexes of a chain's tables with full pages, one after another. The indexer and the API may run. Resolves with a line
 * about the sizes. An interrupted run leaves an index that is not valid; the next run drops it.
 */
export async function compactIndexes({ url, rules: { chainId }, signal, report }: CompactDeps): Promise<string> {
  const client = new pg.Client({ connectionString: url, application_name: `moraine compact ${chainId}` });
  await client.connect();
  try {
    const before = await indexesOf(client, chainId);
    for (const { name, isValid } of before) {
      signal.throwIfAborted();
      // These statements cannot run in a transaction. They do not wait for readers, and writers do not wait for them.
      await client.query(isValid ? `REINDEX INDEX CONCURRENTLY ${name}` : `DROP INDEX CONCURRENTLY ${name}`);
      report(isValid ? `rebuilt ${name}` : `dropped ${name}, which an interrupted run left behind`);
    }
    const after = await indexesOf(client, chainId);
    return `chain ${chainId}: ${before.length} indexes took ${megabytes(before)} MB, now ${megabytes(after)} MB`;
  } finally {
    await client.end();
  }
}

async function indexesOf(client: pg.Client, chainId: string): Promise<Index[]> {
  const tables = PARTITIONED.map((table) => `${table}_${chainId}`);
  return (await client.query<Index>(INDEXES, [tables])).rows;
}

const megabytes = (indexes: readonly Index[]): string =>
  (indexes.reduce((sum, { bytes }) => sum + Number(bytes), 0) / 2 ** 20).toFixed(1);
