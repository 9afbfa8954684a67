import { createPartitionsOf } from "../../../shared/partitions.ts";
import type { Session, Writer } from "../../../shared/writer.ts";
import { TABLE_NAMES } from "./tables.ts";

/** Creates the network's partition of every table, if it is missing. */
export async function createPartitions(writer: Pick<Writer, "transaction">, networkId: number): Promise<void> {
  await createPartitionsOf(writer, TABLE_NAMES, networkId);
}

/** Deletes all rows of the network. The raw blocks stay. */
export async function clearRows(session: Session, networkId: number): Promise<void> {
  const filled = await filledPartitions(session, networkId);
  if (filled.length > 0) await session.query(`TRUNCATE ${filled.join(", ")}`);
  const tables = [
    "primary_heads",
    "primary_verifications",
    "p_chain_states",
    "x_chain_vertex_times",
    "validator_totals",
    "subnet_totals",
    "primary_activity",
  ];
  for (const table of tables) await session.query(`DELETE FROM ${table} WHERE network_id = $1`, [networkId]);
}

/**
 * The network's partitions that have rows. TRUNCATE locks out readers, and a reader of several tables can then end in a deadlock, so empty
 * partitions, which are all at the first start, are left alone.
 */
async function filledPartitions(session: Session, networkId: number): Promise<string[]> {
  const parts = TABLE_NAMES.map((table) => `${table}_${networkId}`);
  const selects = parts.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM ${name} LIMIT 1)`);
  const rows = await session.query<{ name: string }>(selects.join(" UNION ALL "));
  return rows.map(({ name }) => name);
}
