import type pg from "pg";
import { ConfigError } from "../config/config.ts";
import { FIRST_TABLE, isDistributed } from "./distribution.ts";

type Client = Pick<pg.ClientBase, "query">;

/** A worker, with what Citus has placed on it. */
export interface Worker {
  /** `host:port` */
  readonly name: string;
  /** Of all tables with their indexes. */
  readonly bytes: number;
  /** Ids of EVM chains whose rows are on it. */
  readonly chains: readonly string[];
  /** Ids of primary networks whose rows are on it. */
  readonly networks: readonly string[];
}

const IDS = `SELECT 'chains' AS kind, chain_id::text AS id FROM chain_heads
  UNION ALL SELECT DISTINCT 'networks', network_id::text FROM primary_heads`;

const WORKERS = `SELECT n.nodename || ':' || n.nodeport AS name,
    coalesce((SELECT sum(s.shard_size) FROM citus_shards s WHERE s.nodename = n.nodename AND s.nodeport = n.nodeport), 0)::text AS bytes
  FROM pg_dist_node n WHERE n.isactive AND n.shouldhaveshards ORDER BY 1`;

/** The shard of each id, its worker, and whether no other id can be in the shard. */
const SHARDS = `SELECT id::text AS id, s.shardid::text AS shard, n.nodename AS host, n.nodeport AS port,
    s.shardminvalue = s.shardmaxvalue AS "isAlone"
  FROM unnest($1::bigint[]) AS id
    JOIN pg_dist_shard s ON s.shardid = get_shard_id_for_distribution_column('${FIRST_TABLE}', id)
    JOIN pg_dist_placement p ON p.shardid = s.shardid JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'`;

interface Shard {
  readonly id: string;
  readonly shard: string;
  readonly host: string;
  readonly port: number;
  readonly isAlone: boolean;
}

const shardsOf = async (client: Client, ids: readonly string[]): Promise<Shard[]> =>
  (await client.query<Shard>(SHARDS, [ids])).rows;

/** Where the chains and networks of a distributed database are. */
export async function workersOf(client: Client): Promise<Worker[]> {
  const { rows: ids } = await client.query<{ kind: "chains" | "networks"; id: string }>(IDS);
  const shards = await shardsOf(
    client,
    ids.map(({ id }) => id),
  );
  const { rows: workers } = await client.query<{ name: string; bytes: string }>(WORKERS);
  return workers.map(({ name, bytes }) => {
    const here = new Set(shards.filter((one) => nameOf(one) === name).map(({ id }) => id));
    const idsOf = (kind: "chains" | "networks") =>
      ids.filter((one) => one.kind === kind && here.has(one.id)).map(({ id }) => id);
    return { name, bytes: Number(bytes), chains: idsOf("chains").sort(), networks: idsOf("networks").sort() };
  });
}

const OWN_BYTES = "SELECT pg_database_size(current_database())::text AS bytes";
const WORKER_BYTES = `SELECT nodename || ':' || nodeport AS name, success, result
  FROM run_command_on_workers('SELECT pg_database_size(current_database())')`;

/** Size of the database on its server and, if it is distributed, on all workers. Throws if a worker does not answer. */
export async function databaseBytes(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(OWN_BYTES);
  const own = Number(rows[0]?.bytes);
  if (!(await isDistributed(client))) return own;
  const workers = await client.query<{ name: string; success: boolean; result: string }>(WORKER_BYTES);
  return workers.rows.reduce((sum, { name, success, result }) => {
    if (!success) throw new Error(`worker ${name}: ${result}`);
    return sum + Number(result);
  }, own);
}

const nameOf = ({ host, port }: Pick<Shard, "host" | "port">): string => `${host}:${port}`;

/**
 * Writers wait until the rows are copied. Citus 13.2.2 has a mode in which they go on, but then it waits forever if a row is updated or
 * deleted before the new shards have their primary keys: it cannot apply this change to them.
 */
const ISOLATE =
  "SELECT isolate_tenant_to_new_shard($1::regclass, $2::bigint, 'CASCADE', shard_transfer_mode => 'block_writes')";

/**
 * Places a chain or network in shards of its own, on this worker (`host:port`). Writers of the chains of the old shard wait while it is
 * divided; readers go on. Then the new shards move, and writers wait only at the end. Does nothing if the chain is there. Throws
 * `ConfigError` if there is no such worker.
 */
export async function isolate(client: Client, id: string, worker: string): Promise<void> {
  const workers = await client.query<{ name: string }>(WORKERS);
  if (!workers.rows.some(({ name }) => name === worker))
    throw new ConfigError(
      `there is no worker ${worker}: name one of ${workers.rows.map(({ name }) => name).join(", ")}, or add it with citus_add_node`,
    );
  const [before] = await shardsOf(client, [id]);
  if (!before?.isAlone) await client.query(ISOLATE, [FIRST_TABLE, id]);
  const [shard] = await shardsOf(client, [id]);
  if (!shard || nameOf(shard) === worker) return;
  const [, host, port] = /^(.*):(\d+)$/.exec(worker) ?? [];
  await client.query("SELECT citus_move_shard_placement($1::bigint, $2, $3::int, $4, $5::int)", [
    shard.shard,
    shard.host,
    shard.port,
    host,
    port,
  ]);
}
