import { partitionOf } from "../../shared/partitions.ts";
import type { Writer } from "../../shared/writer.ts";
import { PARTITIONED } from "./tables.ts";

/** Smaller tables have few rows, which a wrong plan reads quickly. */
const MIN_BYTES = 65_536;

const WITHOUT_STATISTICS = `SELECT relname AS name FROM pg_class c
  WHERE relname = ANY($1) AND relkind = 'r' AND pg_relation_size(oid) >= ${MIN_BYTES}
    AND NOT EXISTS (SELECT FROM pg_statistic WHERE starelid = c.oid)`;

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
