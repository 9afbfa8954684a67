import type { Session } from "../../../shared/writer.ts";
import { LIST_AGAIN } from "./outputs/owners.ts";

/**
 * Deletes the rows of the C-Chain's atomic transactions, so that they can be indexed again. Rows of P and X stay: an output that
 * they imported from C keeps the fields that the import contains, and an output that they exported to C becomes unspent.
 */
const STATEMENTS = [
  "DELETE FROM utxos WHERE network_id = $1 AND created_on_chain = 'C' AND consumed_tx_hash IS NULL",
  `UPDATE utxos SET created_block_number = NULL, created_timestamp = NULL, addresses = '{}', locktime = 0, threshold = 0
   WHERE network_id = $1 AND created_on_chain = 'C' AND created_timestamp IS NOT NULL`,
  "DELETE FROM utxos WHERE network_id = $1 AND chain = 'C' AND created_timestamp IS NULL",
  `UPDATE utxos SET consumed_tx_hash = NULL, consumed_block_number = NULL, consumed_timestamp = NULL
   WHERE network_id = $1 AND chain = 'C' AND consumed_tx_hash IS NOT NULL`,
  ...LIST_AGAIN,
  "DELETE FROM primary_address_transactions WHERE network_id = $1 AND chain = 'C'",
  "DELETE FROM primary_exceptions WHERE network_id = $1 AND chain = 'C'",
  "DELETE FROM primary_repeated_transactions WHERE network_id = $1 AND chain = 'C'",
  "DELETE FROM primary_transactions WHERE network_id = $1 AND chain = 'C'",
  "DELETE FROM primary_activity WHERE network_id = $1 AND chain = 'C'",
  "DELETE FROM primary_heads WHERE network_id = $1 AND chain = 'C'",
  "DELETE FROM primary_verifications WHERE network_id = $1 AND chain = 'C'",
  // The C-Chain's exports and imports may have determined them.
  "DELETE FROM x_chain_vertex_times WHERE network_id = $1",
];

export async function deleteAtomicRows(session: Session, networkId: number): Promise<void> {
  for (const statement of STATEMENTS) await session.query(statement, [networkId]);
}
