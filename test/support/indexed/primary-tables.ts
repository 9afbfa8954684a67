import type pg from "pg";
import { TABLE_NAMES } from "../../../indexer/primary/replay/store/tables.ts";

const TOTALS = ["validator_totals", "subnet_totals", "primary_activity"];
const OF_ROWS = [...TABLE_NAMES, ...TOTALS, "p_chain_states", "primary_heads"];

/** All rows of a network as PostgreSQL's text form, sorted, by table. */
export type PrimaryTables = Readonly<Record<string, readonly string[]>>;

/** Columns that depend on whether the node returned blocks with their proposer's wrapper. */
const OF_WRAPPERS: Readonly<Record<string, readonly string[]>> = {
  primary_blocks: [
    "proposer_id",
    "proposer_parent_id",
    "proposer_node_id",
    "proposer_pchain_height",
    "proposer_timestamp",
    "node_id",
  ],
  primary_heads: ["container_id"],
};

/**
 * All rows of a primary network except those of C-Chain blocks, which a separate task writes.
 */
export async function dumpPrimary(
  pool: pg.Pool,
  networkId: number,
  { withWrappers = true }: { readonly withWrappers?: boolean } = {},
): Promise<PrimaryTables> {
  const dumped: Record<string, readonly string[]> = {};
  for (const table of OF_ROWS) {
    const left = withWrappers ? [] : (OF_WRAPPERS[table] ?? []);
    const row = `(to_jsonb(t) - '{${left.join()}}'::text[])::text`;
    const where = table === "primary_blocks" ? "AND chain <> 'C'" : "";
    dumped[table] = await texts(pool, `SELECT ${row} AS row FROM ${table} t WHERE network_id = $1 ${where}`, networkId);
  }
  return dumped;
}

async function texts(pool: pg.Pool, text: string, networkId: number): Promise<string[]> {
  const { rows } = await pool.query<{ row: string }>(`${text} ORDER BY 1`, [networkId]);
  return rows.map(({ row }) => row);
}
