import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import type { Batch } from "./batch.ts";
import { KEYS, type MutableTable, TABLE_NAMES, type Table } from "./columns.ts";
import { copyRows, upsertRows } from "./rows.ts";
import { storeConsumptions, storeCreated, storeStakeEnds } from "./utxos.ts";

const isMutable = (table: Table): table is MutableTable => table in KEYS;

/** Writes the rows of a batch. Throws `BadUpstreamData` if it spends an output that does not exist or is spent already. */
export async function storeBatch(session: Session, networkId: number, batch: Batch): Promise<void> {
  await storeDecided(session, networkId, batch);
  for (const table of TABLE_NAMES)
    if (!isMutable(table) && table !== "utxos") await copyRows(session, networkId, table, batch.added[table]);
  for (const table of Object.keys(KEYS) as MutableTable[])
    await upsertRows(session, networkId, table, [...batch.changed[table].values()]);
  await storeCreated(session, networkId, [...batch.created.values()]);
  await storeStakeEnds(session, networkId, batch.stakeEnds);
  await storeConsumptions(session, networkId, batch.consumptions);
}

/**
 * Adds the ids in `decided` to the emitted outputs of the proposed transactions, whose rows are in this batch or in the database.
 */
async function storeDecided(session: Session, networkId: number, { added, decided }: Batch): Promise<void> {
  const ofEarlierBatches = new Map(decided);
  for (const row of added.primary_transactions) {
    const utxoIds = row.chain === "P" && ofEarlierBatches.get(Number(row.tx_seq));
    if (!utxoIds) continue;
    row.emitted_utxo_ids = [...row.emitted_utxo_ids, ...utxoIds];
    ofEarlierBatches.delete(Number(row.tx_seq));
  }
  for (const [txSeq, utxoIds] of ofEarlierBatches)
    await session.query(
      `UPDATE primary_transactions SET emitted_utxo_ids = emitted_utxo_ids || $3::bytea[]
       WHERE network_id = $1 AND chain = 'P' AND tx_seq = $2`,
      [networkId, txSeq, utxoIds.map(pgBytes)],
    );
}

/** Which of these transactions have rows. */
export async function loadIndexedTransactions(
  session: Session,
  networkId: number,
  txIds: readonly string[],
): Promise<Set<string>> {
  if (txIds.length === 0) return new Set();
  const rows = await session.query<{ tx_hash: Buffer }>(
    "SELECT tx_hash FROM primary_transactions WHERE network_id = $1 AND tx_hash = ANY($2)",
    [networkId, txIds.map(pgBytes)],
  );
  return new Set(rows.map(({ tx_hash }) => tx_hash.toString("hex")));
}
