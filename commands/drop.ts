import pg from "pg";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import { databaseUrl } from "../core/config/settings/database-url.ts";
import { openPool } from "../core/database/database.ts";
import { requireMigrated } from "../core/database/migrate.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { tablesOfKind } from "../core/database/table-kinds.ts";
import { type CommandDatabase, openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { quoted } from "../core/errors/errors.ts";
import { createLogger } from "../core/observability/logger.ts";
import { clearMessages } from "../indexer/evm/store/icm-messages.ts";
import { nameList, partitionServer } from "../indexer/shared/partition-server.ts";
import { tryBecomeWriter, type Writer } from "../indexer/shared/writer.ts";
import type { Outcome } from "./program/command.ts";

/** Which rows are deleted: those with this value in this column. */
interface Dropped {
  readonly column: "chain_id" | "network_id";
  readonly id: string;
  readonly name: string;
}

/** What the operator has made, such as ABIs of a chain. */
const KEPT: readonly string[] = tablesOfKind("own");

/** The tables of the present schema with the column: those with a partition for each value, and others. */
const TABLES = `SELECT c.relname AS name, c.relkind = 'p' AS is_partitioned
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = $1
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('p', 'r') AND NOT c.relispartition
  ORDER BY c.relname`;

interface TableRow {
  readonly name: string;
  readonly is_partitioned: boolean;
}

/** `moraine drop`: deletes everything that is stored of a chain or a network. Without `isSure`, it only says what it would delete. */
export async function dropChain(
  {
    chain,
    network,
    database,
    isSure,
  }: {
    readonly chain?: string | undefined;
    readonly network?: string | undefined;
    readonly database?: string | undefined;
    readonly isSure: boolean;
  },
  flags: readonly string[],
): Promise<Outcome> {
  const dropped = droppedOf(chain, network);
  await using opened = await openCommandDatabase(loadConfig(process.env, flags));
  const url = await databaseOf(opened, dropped, database);
  await using rows = openPool(url, 1, createLogger("error"));
  return await dropRows({ pool: rows.pool, url }, dropped, isSure);
}

/** The database of the chain or network in the settings, or the one that the operator names, where it was before it was moved. */
async function databaseOf(
  opened: CommandDatabase,
  { column, id }: Dropped,
  named: string | undefined,
): Promise<string> {
  if (named === "main") return opened.url;
  if (named === undefined) {
    const placement = await opened.placement();
    return column === "chain_id" ? placement.evm(id) : placement.primary(id);
  }
  const refusal = databaseUrl.safeParse(named).error?.issues[0]?.message;
  if (refusal) throw new ConfigError(`--database ${refusal}`);
  const url = await usableDatabase(named, "--database");
  await requireMigrated(url);
  return url;
}

async function dropRows(
  { pool, url }: { readonly pool: pg.Pool; readonly url: string },
  dropped: Dropped,
  isSure: boolean,
): Promise<Outcome> {
  const { rows } = await pool.query<TableRow>(TABLES, [dropped.column]);
  const tables = rows.filter(({ name }) => !KEPT.includes(name));
  const total = await bytesOf(pool, tables, dropped.id);
  const megabytes = (total / 1e6).toFixed(0);
  const data = { ...dropped, megabytes: Number(megabytes), isDropped: isSure };
  if (!isSure) {
    const stored = `${dropped.name} has ${megabytes} MB: --yes deletes them, and only nodes or a backup can bring them back`;
    return { text: total === 0 ? `nothing is stored of ${dropped.name}` : stored, data, exitCode: 1 };
  }
  const lock = dropped.column === "chain_id" ? dropped.id : `primary ${dropped.id}`;
  await using writer = await tryBecomeWriter(url, lock);
  if (!writer) throw new ConfigError(`another process indexes ${dropped.name}: stop it, then run the command again`);
  await dropTables(writer, dropped, tables);
  return { text: `${dropped.name}: ${megabytes} MB deleted`, data };
}

/** Bytes of the partitions of a chain or network, with their indexes. */
async function bytesOf(pool: pg.Pool, tables: readonly TableRow[], id: string): Promise<number> {
  const partitioned = tables.filter(({ is_partitioned }) => is_partitioned).map(({ name }) => name);
  const server = await partitionServer(pool, partitioned, id);
  const sizes = `SELECT pg_total_relation_size(to_regclass(name))::text AS bytes FROM ${nameList(server.partitions)} AS name`;
  const rows = await server.query<{ bytes: string }>(sizes);
  return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
}

function droppedOf(chain: string | undefined, network: string | undefined): Dropped {
  const [option, id = ""] = chain === undefined ? ["network-id", network] : ["chain", chain];
  if (!/^\d{1,15}$/.test(id)) throw new ConfigError(`--${option} is ${quoted(id)}: must be a number`);
  return chain === undefined
    ? { column: "network_id", id, name: `the primary network ${id}` }
    : { column: "chain_id", id, name: `chain ${id}` };
}

/** One transaction for each partition, because dropping it locks its table, and readers may lock the tables in another order. */
async function dropTables(writer: Writer, { column, id }: Dropped, tables: readonly TableRow[]): Promise<void> {
  await writer.transaction(async (session) => {
    if (column === "chain_id") {
      await session.query("DELETE FROM icm_events WHERE chain_id = $1", [id]);
      await clearMessages(session, id);
    }
    for (const { name, is_partitioned } of tables)
      if (!is_partitioned) await session.query(`DELETE FROM ${pg.escapeIdentifier(name)} WHERE ${column} = $1`, [id]);
  });
  for (const { name, is_partitioned } of tables)
    if (is_partitioned)
      await writer.transaction((session) =>
        session.query(`DROP TABLE IF EXISTS ${pg.escapeIdentifier(`${name}_${id}`)}`),
      );
}
