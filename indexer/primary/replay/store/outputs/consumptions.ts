import { pgBytes } from "../../../../shared/pg-bytes.ts";
import type { Session } from "../../../../shared/writer.ts";
import type { Batch } from "../batch.ts";
import { fromInserted, insertRows } from "../rows.ts";
import type { RowOf } from "../tables.ts";
import { deleteException, inputException, loadEarlyInputs, markSpent, type StoredExceptions } from "./exceptions.ts";
import { markSharedSpent } from "./owners.ts";
import { CONSUMPTION_COLUMNS, type Consumption, type Spender } from "./spending.ts";

type UtxoRow = RowOf<"utxos">;

/** An import consumes exported outputs, any other input those of its own chain. */
function canConsume(
  { role, chain }: { readonly role: string; readonly chain: string },
  { spender, imported }: Pick<Consumption, "spender" | "imported">,
): boolean {
  return (role === "EXPORTED") === (imported !== null) && chain === spender.chain;
}

const consumedColumns = ({ tx_hash, block_number, block_timestamp }: Spender) => ({
  consumed_tx_hash: tx_hash,
  consumed_block_number: block_number,
  consumed_timestamp: block_timestamp,
});

/**
 * Marks the new outputs of a batch that a transaction consumes: in an earlier batch, or before or after the creation in this one. The
 * first transaction in the order of the chain consumes an output. Returns the consumptions of outputs that this batch does not create.
 */
export async function consumeCreated(
  session: Session,
  networkId: number,
  batch: Batch,
  stored: StoredExceptions,
): Promise<Consumption[]> {
  await consumeEarly(session, networkId, batch, stored);
  return batch.consumptions.filter((consumption) => {
    const { utxoId, spender, inputIndex } = consumption;
    const row = batch.created.get(utxoId);
    if (!row) return true;
    if (consumeRow(batch, row, consumption)) return false;
    const kind = canConsume(row, consumption) ? "SPENT_INPUT" : "MISSING_INPUT";
    batch.except(inputException(spender, inputIndex, utxoId, kind));
    return false;
  });
}

/** Marks the row of an output if nothing has consumed it, and lists the transaction for its owners. */
function consumeRow(batch: Batch, row: UtxoRow, consumption: Pick<Consumption, "spender" | "imported">): boolean {
  if (row.consumed_tx_hash !== null || !canConsume(row, consumption)) return false;
  Object.assign(row, consumedColumns(consumption.spender));
  batch.list(row.addresses, consumption.spender);
  return true;
}

/** The missing inputs of earlier batches consume the outputs that this batch creates. */
async function consumeEarly(session: Session, networkId: number, batch: Batch, stored: StoredExceptions) {
  const { missing, counts } = stored;
  const found = missing.size === 0 ? [] : [...batch.created.keys()].filter((id) => missing.has(id));
  if (found.length === 0) return;
  for (const input of await loadEarlyInputs(session, networkId, found)) {
    const row = batch.created.get(input.utxoId);
    const consumption = { spender: input.spender, imported: null };
    if (!row || !canConsume(row, consumption)) continue;
    missing.delete(input.utxoId);
    if (consumeRow(batch, row, consumption)) {
      await deleteException(session, networkId, input);
      counts[input.spender.chain]--;
    } else await markSpent(session, networkId, input);
  }
}

/**
 * Marks outputs that earlier batches created as spent, and lists the transactions for their owners. The inputs of outputs that do not
 * exist or are spent already become exceptions of the batch.
 */
export async function storeConsumptions(
  session: Session,
  networkId: number,
  batch: Batch,
  consumptions: readonly Consumption[],
): Promise<void> {
  const first = new Map<string, Consumption>();
  for (const one of consumptions) if (!first.has(one.utxoId)) first.set(one.utxoId, one);
  const consuming = [...first.values()];
  const owners = new Map([
    ...(await storeSpent(
      session,
      networkId,
      consuming.filter(({ imported }) => !imported),
    )),
    ...(await storeImported(
      session,
      networkId,
      consuming.filter(({ imported }) => imported),
    )),
  ]);
  await markSharedSpent(session, networkId, owners);
  const refused = consumptions.filter((one) => {
    const addresses = owners.get(one.utxoId);
    if (!addresses || first.get(one.utxoId) !== one) return true;
    batch.list(addresses, one.spender);
    return false;
  });
  await exceptInputs(session, networkId, batch, refused);
}

interface MarkedRow extends Record<string, unknown> {
  readonly utxo_id: Buffer;
  readonly addresses: readonly Buffer[];
}

const ownersIn = (rows: readonly MarkedRow[]): [utxoId: string, owners: string[]][] =>
  rows.map(({ utxo_id, addresses }) => [utxo_id.toString("hex"), addresses.map((one) => one.toString("hex"))]);

/** Marks outputs of the spending chain. Returns the owners of those that it marked. */
async function storeSpent(session: Session, networkId: number, spent: readonly Consumption[]) {
  const chain = spent[0]?.spender.chain;
  if (chain === undefined) return [];
  return ownersIn(
    await session.query<MarkedRow>(
      `UPDATE utxos SET consumed_tx_hash = c.tx_hash, consumed_block_number = c.block_number, consumed_timestamp = c.block_timestamp
       FROM unnest($3::bytea[], $4::bytea[], $5::bigint[], $6::bigint[]) AS c(utxo_id, tx_hash, block_number, block_timestamp)
       WHERE utxos.network_id = $1 AND utxos.utxo_id = c.utxo_id AND utxos.consumed_tx_hash IS NULL
         AND utxos.role <> 'EXPORTED' AND utxos.chain = $2 RETURNING utxos.utxo_id, utxos.addresses`,
      [
        networkId,
        chain,
        spent.map(({ utxoId }) => pgBytes(utxoId)),
        spent.map(({ spender }) => pgBytes(spender.tx_hash)),
        spent.map(({ spender }) => spender.block_number),
        spent.map(({ spender }) => spender.block_timestamp),
      ],
    ),
  );
}

/**
 * Marks imported outputs. If the export is not indexed yet, the output has no row: creates it from the import's input. Returns the
 * owners of those that it marked; an output without creation has none.
 */
async function storeImported(session: Session, networkId: number, imports: readonly Consumption[]) {
  if (imports.length === 0) return [];
  const rows = imports.map(({ utxoId, spender, imported }) => ({
    utxo_id: utxoId,
    output_type: "secp256k1fx.TransferOutput",
    locktime: 0,
    threshold: 0,
    addresses: [],
    stakeable_locktime: null,
    group_id: null,
    payload: null,
    role: "EXPORTED",
    reward_type: null,
    stake_start: null,
    stake_end: null,
    created_block_number: null,
    created_timestamp: null,
    ...consumedColumns(spender),
    ...imported,
  }));
  return ownersIn(
    await insertRows<MarkedRow>(
      session,
      networkId,
      "utxos",
      rows,
      `ON CONFLICT (network_id, utxo_id) DO UPDATE SET ${fromInserted(CONSUMPTION_COLUMNS)}
       WHERE utxos.consumed_tx_hash IS NULL AND utxos.role = 'EXPORTED' AND utxos.chain = excluded.chain
       RETURNING utxo_id, addresses`,
    ),
  );
}

/** Adds the exceptions of inputs that consumed nothing. */
async function exceptInputs(
  session: Session,
  networkId: number,
  batch: Batch,
  refused: readonly Consumption[],
): Promise<void> {
  if (refused.length === 0) return;
  const rows = await session.query<{ id: string; role: string; chain: string }>(
    "SELECT encode(utxo_id, 'hex') AS id, role, chain FROM utxos WHERE network_id = $1 AND utxo_id = ANY ($2)",
    [networkId, refused.map(({ utxoId }) => pgBytes(utxoId))],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const consumption of refused) {
    const { utxoId, spender, inputIndex } = consumption;
    const row = byId.get(utxoId);
    const kind = row && canConsume(row, consumption) ? "SPENT_INPUT" : "MISSING_INPUT";
    batch.except(inputException(spender, inputIndex, utxoId, kind));
  }
}
