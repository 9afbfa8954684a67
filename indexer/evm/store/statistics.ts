import { type Client, nameList, partitionServer } from "../../shared/partition-server.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { PARTITIONED } from "./tables.ts";

/** Smaller tables have few rows, which a wrong plan reads quickly. */
const MIN_BYTES = 65_536;

/** Reads the view `pg_stats`, because only superusers may read the table below it. */
const withoutStatistics = (names: readonly string[]): string => `SELECT name
  FROM ${nameList(names)} AS name JOIN pg_class c ON c.oid = to_regclass(name) JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE pg_relation_size(c.oid) >= ${MIN_BYTES}
    AND NOT EXISTS (SELECT FROM pg_stats s WHERE s.schemaname = n.nspname AND s.tablename = c.relname)`;

/**
 * Makes PostgreSQL's statistics of a chain's tables that have rows but no statistics yet. Until then, PostgreSQL expects few rows with a
 * given chain id, and may read all rows of a chain for each row that it looks for. Autovacuum makes statistics only after a minute, in
 * which thousands of blocks are written.
 */
export async function createMissingStatistics(writer: Pick<Writer, "transaction">, chainId: string): Promise<void> {
  await writer.transaction(async (session) => {
    const server = await partitionServer(clientOf(session), PARTITIONED, chainId);
    const tables = await server.query<{ name: string }>(withoutStatistics(server.partitions));
    // The maintenance of the tables may have locked one.
    for (const { name } of tables) await server.execute(`ANALYZE (SKIP_LOCKED) ${name}`);
  });
}

const clientOf = (session: Session): Client =>
  ({ query: async (text: string, values?: unknown[]) => ({ rows: await session.query(text, values) }) }) as Client;
