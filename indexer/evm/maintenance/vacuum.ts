import type pg from "pg";
import { nameList, partitionServer } from "../../shared/partition-server.ts";
import type { PARTITIONED } from "../store/tables.ts";

/** Tables whose rows each batch of blocks replaces. */
const REPLACED: readonly (typeof PARTITIONED)[number][] = [
  "erc20_holders",
  "evm_addresses",
  "nft_holders",
  "nft_holdings",
];

/** Those of some tables of which more than a fifth of the rows are replaced versions: autovacuum's default, which it checks once a minute. */
const dueAmong = (names: readonly string[]): string => `SELECT name FROM ${nameList(names)} AS name
  WHERE pg_stat_get_dead_tuples(to_regclass(name)) > 1000 + pg_stat_get_live_tuples(to_regclass(name)) / 5`;

/** Pause after a VACUUM that left many replaced versions, because a transaction, such as an export, can still read them. */
const PAUSE_MS = 60_000;

/** Vacuums the tables of a chain that have many replaced versions of rows. Rejects when it is aborted, before the next table. */
export type Vacuum = (client: Pick<pg.Client, "query">, signal: AbortSignal) => Promise<void>;

/**
 * Returns a function that removes replaced versions of rows from a chain's tables that have many of them, so that new versions take their
 * place in tables and indexes. Readers and writers do not wait for it: it never returns free pages at the end of a table to the file system.
 *
 * Makes new statistics, too. With the number of rows that VACUUM counts, but the statistics of the first batches, PostgreSQL chose a slow plan
 * for the statement that changes holders, and needed five times the processor time for a block.
 */
export function createVacuum(chainId: string, nowMs: () => number): Vacuum {
  const pausedUntilMs = new Map<string, number>();
  return async (client, signal) => {
    const server = await partitionServer(client, REPLACED, chainId);
    const dueOf = async (among: readonly string[]): Promise<string[]> =>
      (await server.query<{ name: string }>(dueAmong(among))).map(({ name }) => name);
    const due = await dueOf(server.partitions.filter((table) => (pausedUntilMs.get(table) ?? 0) <= nowMs()));
    for (const name of due) {
      signal.throwIfAborted();
      await server.execute(`VACUUM (ANALYZE, TRUNCATE off, PARALLEL 0) ${name}`);
    }
    if (due.length === 0) return;
    for (const name of await dueOf(due)) pausedUntilMs.set(name, nowMs() + PAUSE_MS);
  };
}
