import { createPartitionsOf } from "../../../shared/partitions.ts";
import type { Session, Writer } from "../../../shared/writer.ts";
import { TABLE_NAMES } from "./tables.ts";

/** Creates the network's partition of every table, if it is missing. */
export async function createPartitions(writer: Pick<Writer, "transaction">, networkId: number): Promise<void> {
  await createPartitionsOf(writer, TABLE_NAMES, networkId);
}

/** Deletes all rows of the network. The raw blocks stay. */
export async function clearRows(session: Session, networkId: number): Promise<void> {
  await session.query(`TRUNCATE ${TABLE_NAMES.map((table) => `${table}_${networkId}`).join(", ")}`);
  const tables = [
    "primary_heads",
    "p_chain_states",
    "x_chain_vertex_times",
    "validator_totals",
    "subnet_totals",
    "primary_activity",
  ];
  for (const table of tables) await session.query(`DELETE FROM ${table} WHERE network_id = $1`, [networkId]);
}
