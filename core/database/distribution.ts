import type pg from "pg";
import { ConfigError } from "../config/config.ts";

type Client = Pick<pg.ClientBase, "query">;

/**
 * The table by which a database is known to be distributed. It is distributed first, and all others are placed with it: the rows of a chain
 * are then on one worker, with the head that says which of them are complete.
 */
export const FIRST_TABLE = "chain_heads";

const HAS_CITUS = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS known";
const IS_DISTRIBUTED = `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('${FIRST_TABLE}')`;

/** True if the extension Citus distributes the tables of the present schema over workers. */
export async function isDistributed(client: Client): Promise<boolean> {
  return (await hasCitus(client)) && (await client.query(IS_DISTRIBUTED)).rows.length === 1;
}

async function hasCitus(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>(HAS_CITUS);
  return rows[0]?.known === true;
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

/**
 * The tables of a distributed database that belong on the workers and are not there yet, because a migration has made them, or because
 * their distribution was interrupted.
 */
export async function localTables(client: Client): Promise<readonly WorkerTable[]> {
  return (await isDistributed(client)) ? (await client.query<WorkerTable>(LOCAL_TABLES)).rows : [];
}

/**
 * Distributes the tables of `localTables`, with their rows, each in a transaction of its own. An interrupted run continues at the next call.
 * Nothing else may write the tables meanwhile. Does nothing on a database that is not distributed.
 */
export async function distributeNewTables(client: Client, report: (line: string) => void): Promise<void> {
  for (const { name, column } of await localTables(client)) {
    report(column === null ? `copying ${name} to all workers` : `distributing ${name} by ${column}`);
    const [text, values] =
      column === null
        ? ["SELECT create_reference_table($1::regclass)", [name]]
        : ["SELECT create_distributed_table($1::regclass, $2, colocate_with => $3)", [name, column, FIRST_TABLE]];
    await distribute(client, name, () => client.query(text, values));
  }
}

/** The rows on the coordinator, which no statement reads any more, would stay there. */
async function distribute(client: Client, table: string, run: () => Promise<unknown>): Promise<void> {
  await client.query("BEGIN");
  try {
    await run();
    await client.query("SELECT truncate_local_data_after_distributing_table($1::regclass)", [table]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

const WORKERS = "SELECT node_name AS host, node_port::int AS port FROM citus_get_active_worker_nodes() ORDER BY 1, 2";

/** The sessions of other processes of Moraine, as far as the role may see them. */
const OTHER_SESSIONS = `SELECT application_name AS name FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'moraine%' LIMIT 1`;

/**
 * Distributes the first table, after which the database counts as distributed; does nothing if it is. As many shards as workers: each
 * shard has a copy of every partition, and empty ones take space, too. Throws `ConfigError` if the server has no Citus or no workers, or if
 * another process of Moraine runs.
 */
export async function beginDistribution(client: Client): Promise<void> {
  if (!(await hasCitus(client)))
    throw new ConfigError(
      "the database has no extension citus: install it on the server and its workers, then CREATE EXTENSION citus and citus_add_node (docs/operate/citus.md)",
    );
  if (await isDistributed(client)) return;
  const { rowCount: workers } = await client.query(WORKERS);
  if (!workers)
    throw new ConfigError("the coordinator has no workers: add them with citus_add_node (docs/operate/citus.md)");
  const { rows } = await client.query<{ name: string }>(OTHER_SESSIONS);
  if (rows[0]) throw new ConfigError(`a process of Moraine uses the database (session ${rows[0].name}): end it first`);
  const text = `SELECT create_distributed_table($1::regclass, 'chain_id', shard_count => $2::int, colocate_with => 'none')`;
  await distribute(client, FIRST_TABLE, () => client.query(text, [FIRST_TABLE, workers]));
}
