import { pgBytes } from "../../../../shared/pg-bytes.ts";
import type { Session } from "../../../../shared/writer.ts";
import type { Batch } from "../batch.ts";

/** Lists stored outputs for their owners. */
const LIST = `INSERT INTO utxo_owners (network_id, address, chain, is_spent, created_timestamp, utxo_id)
  SELECT $1, owner.address, u.chain, u.consumed_timestamp IS NOT NULL, u.created_timestamp, u.utxo_id
  FROM utxos u, unnest(u.addresses) AS owner(address)
  WHERE u.network_id = $1 AND u.utxo_id = ANY ($2) AND u.created_timestamp IS NOT NULL ON CONFLICT DO NOTHING`;

const MARK_SPENT = `UPDATE utxo_owners o SET is_spent = true FROM utxos u, unnest(u.addresses) AS owner(address)
  WHERE u.network_id = $1 AND u.utxo_id = ANY ($2) AND o.network_id = $1 AND o.address = owner.address AND o.chain = u.chain
    AND NOT o.is_spent AND o.created_timestamp = u.created_timestamp AND o.utxo_id = u.utxo_id`;

/** SQL that lists all outputs of network `$1` with several owners again. */
export const LIST_AGAIN = [
  "DELETE FROM utxo_owners WHERE network_id = $1",
  `INSERT INTO utxo_owners (network_id, address, chain, is_spent, created_timestamp, utxo_id)
   SELECT $1, owner.address, u.chain, u.consumed_timestamp IS NOT NULL, u.created_timestamp, u.utxo_id
   FROM utxos u, unnest(u.addresses) AS owner(address)
   WHERE u.network_id = $1 AND cardinality(u.addresses) > 1 AND u.created_timestamp IS NOT NULL ON CONFLICT DO NOTHING`,
] as const;

/** Lists the new outputs of a batch that have several owners. Those with one owner are found by indexes. */
export async function listShared(session: Session, networkId: number, { created }: Batch): Promise<void> {
  const shared = [...created.values()].filter(({ addresses }) => addresses.length > 1);
  if (shared.length === 0) return;
  await session.query(LIST, [networkId, shared.map(({ utxo_id }) => pgBytes(utxo_id))]);
}

/** Marks outputs as spent in the lists of their owners, if they have several. `owners` are those of each spent output. */
export async function markSharedSpent(
  session: Session,
  networkId: number,
  owners: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const shared = [...owners].filter(([, addresses]) => addresses.length > 1);
  if (shared.length === 0) return;
  await session.query(MARK_SPENT, [networkId, shared.map(([utxoId]) => pgBytes(utxoId))]);
}
