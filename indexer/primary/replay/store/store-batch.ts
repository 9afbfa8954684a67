import type { PrimaryChain } from "../../../../core/networks/primary-chains.ts";
import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import type { NetworkFacts } from "../../network/network.ts";
import { hoursOf } from "./activity/hours.ts";
import { addToActivity } from "./activity/store-activity.ts";
import { type BatchStart, storeLists } from "./address-lists.ts";
import type { Batch } from "./batch.ts";
import { consumeCreated, storeConsumptions } from "./outputs/consumptions.ts";
import { storeCreated, storeStakeEnds } from "./outputs/created.ts";
import type { StoredExceptions } from "./outputs/exceptions.ts";
import { listShared } from "./outputs/owners.ts";
import { moveToRepetition } from "./repeated-transactions.ts";
import { copyRows, upsertRows } from "./rows.ts";
import { KEYS, type MutableTable, TABLE_NAMES, type Table } from "./tables.ts";
import { addChanged, subtractChanged } from "./totals.ts";

/** Tables whose rows follow from what the batch consumes. They are written last. */
const LATER: readonly Table[] = ["utxos", "utxo_owners", "primary_address_transactions", "primary_exceptions"];

const isMutable = (table: Table): table is MutableTable => table in KEYS;

/** Writes the rows of a batch, and adds its exceptions to `exceptions`. */
export async function storeBatch(
  session: Session,
  network: Pick<NetworkFacts, "networkId" | "avaxAssetId">,
  batch: Batch,
  { start, exceptions }: { readonly start: BatchStart; readonly exceptions: StoredExceptions },
): Promise<void> {
  const { networkId } = network;
  const decidedEarlier = addDecided(batch);
  for (const table of TABLE_NAMES)
    if (!isMutable(table) && !LATER.includes(table))
      await copyRows(session, networkId, table, batch.added[table as keyof Batch["added"]]);
  await subtractChanged(session, networkId, batch);
  for (const table of Object.keys(KEYS) as MutableTable[])
    await upsertRows(session, networkId, table, [...batch.changed[table].values()]);
  await addChanged(session, networkId, batch);
  await storeDecided(session, networkId, decidedEarlier);
  const consumptions = await consumeCreated(session, networkId, batch, exceptions);
  await storeCreated(session, networkId, batch);
  await listShared(session, networkId, batch);
  await storeStakeEnds(session, networkId, batch.stakeEnds);
  await storeConsumptions(session, networkId, batch, consumptions);
  await copyRows(session, networkId, "primary_exceptions", batch.exceptions);
  for (const { chain, kind, utxo_id } of batch.exceptions) {
    exceptions.counts[chain as PrimaryChain]++;
    if (kind === "MISSING_INPUT" && utxo_id !== null) exceptions.missing.add(utxo_id);
  }
  await storeLists(session, networkId, batch.listed, start);
  const moved = [];
  for (const txSeq of batch.moved) moved.push(await moveToRepetition(session, network, start.chain, txSeq));
  const hours = hoursOf(
    batch,
    network,
    moved.filter((one) => one !== null),
  );
  await addToActivity(session, networkId, hours);
}

/**
 * Adds the ids in `decided` to the emitted outputs of the proposed transactions whose rows are in this batch. Returns those of other
 * transactions.
 */
function addDecided({ added, decided }: Batch): Map<number, readonly string[]> {
  const ofEarlierBatches = new Map(decided);
  for (const row of added.primary_transactions) {
    const utxoIds = row.chain === "P" && ofEarlierBatches.get(Number(row.tx_seq));
    if (!utxoIds) continue;
    row.emitted_utxo_ids = [...row.emitted_utxo_ids, ...utxoIds];
    ofEarlierBatches.delete(Number(row.tx_seq));
  }
  return ofEarlierBatches;
}

async function storeDecided(
  session: Session,
  networkId: number,
  decided: ReadonlyMap<number, readonly string[]>,
): Promise<void> {
  for (const [txSeq, utxoIds] of decided)
    await session.query(
      `UPDATE primary_transactions SET emitted_utxo_ids = emitted_utxo_ids || $3::bytea[]
       WHERE network_id = $1 AND chain = 'P' AND tx_seq = $2`,
      [networkId, txSeq, utxoIds.map(pgBytes)],
    );
}
