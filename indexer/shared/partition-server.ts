import type pg from "pg";
import { isDistributed } from "../../core/database/distribution.ts";
import { partitionOf } from "./partitions.ts";

/** What runs statements, such as a session of PostgreSQL. */
export type Client = Pick<pg.ClientBase, "query">;

/**
 * The server that has the rows of a chain: the one of the client, or, if the tables are distributed, a worker. Only the server itself knows
 * the sizes, statistics and invalid indexes of a table, and rebuilds an index without the others.
 */
export interface PartitionServer {
  /** Names of those of the chain's partitions that exist, as the server has them. Quoted where SQL needs it. */
  readonly partitions: readonly string[];
  /** Runs a SELECT without parameters on the server. Bytes, times and large numbers are texts. */
  query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>;
  /** Runs another statement on the server, outside of a transaction of the client if the server is a worker. */
  execute(text: string): Promise<void>;
}

const LOCAL = "SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL";

/** The shards of partitions: those which can have rows of the chain. They are on one worker. */
const ON_WORKER = `SELECT shard_name(t.oid, s.id, false) AS name, n.nodename AS host, n.nodeport AS port
  FROM unnest($1::text[]) AS name, LATERAL (SELECT to_regclass(name) AS oid OFFSET 0) t,
    LATERAL (SELECT get_shard_id_for_distribution_column(t.oid, $2::bigint) AS id OFFSET 0) s
    JOIN pg_dist_placement p ON p.shardid = s.id JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
  WHERE t.oid IS NOT NULL`;

interface Shard {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Finds the server with the partitions of some tables for a chain or network. */
export async function partitionServer(
  client: Client,
  tables: readonly string[],
  id: number | string,
): Promise<PartitionServer> {
  const names = tables.map((table) => partitionOf(table, id));
  if (!(await isDistributed(client))) {
    const { rows } = await client.query<{ name: string }>(LOCAL, [names]);
    return {
      partitions: rows.map(({ name }) => name),
      query: async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows,
      execute: async (text) => void (await client.query(text)),
    };
  }
  const { rows: shards } = await client.query<Shard>(ON_WORKER, [names, id]);
  const [place] = shards;
  return {
    partitions: shards.map(({ name }) => name),
    query: async <Row>(text: string) =>
      place ? (JSON.parse((await runOnWorker(client, place, asJson(text))) || "[]") as Row[]) : [],
    execute: async (text) => void (place && (await runOnWorker(client, place, text))),
  };
}

const asJson = (text: string): string => `SELECT json_agg(found)::text FROM (${text}) found`;

const RUN_ON_WORKER =
  "SELECT success, result FROM master_run_on_worker(ARRAY[$1::text], ARRAY[$2::int], ARRAY[$3::text], true)";

/** Returns the text of a row, or the name of the command. Throws the message of the worker. */
async function runOnWorker(client: Client, { host, port }: Shard, text: string): Promise<string> {
  const { rows } = await client.query<{ success: boolean; result: string }>(RUN_ON_WORKER, [host, port, text]);
  const [answer] = rows;
  if (!answer?.success) throw new Error(`worker ${host}:${port}: ${answer?.result}`);
  return answer.result;
}

/** SQL of a list of the names of relations. */
export const nameList = (names: readonly string[]): string => {
  const texts = names.map((name) => `'${name.replaceAll("'", "''")}'`);
  return `unnest(ARRAY[${texts.join(", ")}]::text[])`;
};
