import type pg from "pg";
import { partitionOf } from "../../shared/partitions.ts";
import type { PARTITIONED } from "../store/tables.ts";

/** Tables whose rows each batch of blocks replaces. */
const REPLACED: readonly (typeof PARTITIONED)[number][] = [
  "erc20_holders",
  "evm_addresses",
  "nft_holders",
  "nft_holdings",
];

/** The tables of which more than a fifth of the rows are replaced versions: autovacuum's default, which it checks once a minute. */
const DUE = `SELECT relname AS name FROM pg_class
  WHERE oid IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS name)
    AND pg_stat_get_dead_tuples(oid) > 1000 + pg_stat_get_live_tuples(oid) / 5`;

/**
 * Removes replaced versions of rows from a chain's tables that have many of them, so that new versions take their place in tables and
 * indexes. Readers and writers do not wait for it: it never returns free pages at the end of a table to the file system.
 *
 * Makes new statistics, too. With the number of rows that VACUUM counts, but the statistics of the first batches, PostgreSQL chose a slow plan
 * for the statement that changes holders, and needed five times the processor time for a block.
 */
export async function vacuumReplacedRows(client: Pick<pg.Client, "query">, chainId: string): Promise<void> {
  const tables = REPLACED.map((table) => partitionOf(table, chainId));
  const { rows } = await client.query<{ name: string }>(DUE, [tables]);
  for (const { name } of rows) await client.query(`VACUUM (ANALYZE, TRUNCATE off, PARALLEL 0) ${name}`);
}
