import { partitionOf } from "../../shared/partitions.ts";
import type { Writer } from "../../shared/writer.ts";
import { PARTITIONED } from "./tables.ts";

/** Smaller tables have few rows, which a wrong plan reads quickly. */
const MIN_BYTES = 65_536;

/** Reads the view `pg_stats`, because only superusers may read the table below it. */
const WITHOUT_STATISTICS = `SELECT c.relname AS name
  FROM unnest($1::text[]) AS name JOIN pg_class c ON c.oid = to_regclass(name) JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE pg_relation_size(c.oid) >= ${MIN_BYTES}
    AND NOT EXISTS (SELECT FROM pg_stats s WHERE s.schemaname = n.nspname AND s.tablename = c.relname)`;

/**
 * Makes PostgreSQL's statistics of a chain's tables that have rows but no statistics yet. Until then, PostgreSQL expects few rows with a
 * given chain id, and may read all rows of a chain for each row that it looks for. Autovacuum makes statistics only after a minute, in
 * which thousands of blocks are written.
 */
export async function createMissingStatistics(writer: Pick<Writer, "transaction">, chainId: string): Promise<void> {
  const names = PARTITIONED.map((table) => partitionOf(table, chainId));
  await writer.transaction(async (session) => {
    const tables = await session.query<{ name: string }>(WITHOUT_STATISTICS, [names]);
    // The maintenance of the tables may have locked one.
    for (const { name } of tables) await session.query(`ANALYZE (SKIP_LOCKED) ${name}`);
  });
}
