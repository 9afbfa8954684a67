import type pg from "pg";

type Client = Pick<pg.ClientBase, "query">;

/**
 * The table by which a database is known to be distributed. It is distributed first, and all others are placed with it: the rows of a chain
 * are then on one worker, with the head that says which of them are complete.
 */
const FIRST_TABLE = "chain_heads";

/** True if the extension Citus distributes the tables of the present schema over workers. */
export async function isDistributed(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>(
    "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS known",
  );
  if (!rows[0]?.known) return false;
  return (
    (await client.query(`SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('${FIRST_TABLE}')`))
      .rowCount === 1
  );
}

/** A table that belongs on the workers. */
interface WorkerTable {
  readonly name: string;
  /**
   * `chain_id` or `network_id`: both have the same type, so that all tables can be placed together. Null for a table of few rows for all
   * chains, of which each worker gets a copy.
   */
  readonly column: string | null;
}

/**
 * The tables of the present schema that belong on the workers and are not there yet: those whose rows each have a chain or network, and the
 * ABIs, which an operator gives to one chain or to all. Others stay on the coordinator: what belongs to the installation, and messages
 * between two chains.
 */
const LOCAL_TABLES = `SELECT c.relname AS name, CASE WHEN a.attnotnull THEN a.attname END AS column
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ('chain_id', 'network_id')
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('p', 'r') AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)
  ORDER BY c.relname`;

/** The tables that belong on the workers of a distributed database, but are on the coordinator, because a migration has made them. */
export async function localTables(client: Client): Promise<readonly WorkerTable[]> {
  return (await isDistributed(client)) ? (await client.query<WorkerTable>(LOCAL_TABLES)).rows : [];
}

/**
 * Distributes the tables of `localTables`, with their rows, each in a transaction of its own, and returns their names. An interrupted run
 * continues at the next call. Nothing else may write the tables meanwhile. Does nothing on a database that is not distributed.
 */
export async function distributeNewTables(client: Client, report: (line: string) => void): Promise<readonly string[]> {
  const tables = await localTables(client);
  for (const { name, column } of tables) {
    report(column === null ? `copying ${name} to all workers` : `distributing ${name} by ${column}`);
    if (column === null) await client.query("SELECT create_reference_table($1::regclass)", [name]);
    else
      await client.query("SELECT create_distributed_table($1::regclass, $2, colocate_with => $3)", [
        name,
        column,
        FIRST_TABLE,
      ]);
  }
  return tables.map(({ name }) => name);
}

/** Distributes the first table, after which the database counts as distributed. */
export async function distributeFirstTable(client: Client, shardCount: number): Promise<void> {
  await client.query(
    "SELECT create_distributed_table($1::regclass, 'chain_id', shard_count => $2::int, colocate_with => 'none')",
    [FIRST_TABLE, shardCount],
  );
}
