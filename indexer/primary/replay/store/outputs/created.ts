import { pgBytes } from "../../../../shared/pg-bytes.ts";
import { rowColumns } from "../../../../shared/table-rows.ts";
import type { Session } from "../../../../shared/writer.ts";
import type { Batch } from "../batch.ts";
import { copyRows, fromInserted, insertRows } from "../rows.ts";
import type { RowOf } from "../tables.ts";
import { inputException } from "./exceptions.ts";
import { CONSUMPTION_COLUMNS, type InputRow, SPENDER_COLUMNS, type StoredInput, storedInput } from "./spending.ts";

type UtxoRow = RowOf<"utxos">;

/** Owner addresses of outputs, by the output's id. Outputs that have no row are missing in the result. */
export async function loadOwners(
  session: Session,
  networkId: number,
  utxoIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (utxoIds.length === 0) return new Map();
  const rows = await session.query<{ utxo_id: Buffer; addresses: Buffer[] }>(
    "SELECT utxo_id, addresses FROM utxos WHERE network_id = $1 AND utxo_id = ANY($2)",
    [networkId, utxoIds.map(pgBytes)],
  );
  return new Map(
    rows.map(({ utxo_id, addresses }) => [utxo_id.toString("hex"), addresses.map((one) => one.toString("hex"))]),
  );
}

/** Writes new outputs. */
export async function storeCreated(session: Session, networkId: number, batch: Batch): Promise<void> {
  const rows = [...batch.created.values()];
  const isExported = ({ role }: UtxoRow) => role === "EXPORTED";
  await copyRows(
    session,
    networkId,
    "utxos",
    rows.filter((row) => !isExported(row)),
  );
  await storeExported(session, networkId, batch, rows.filter(isExported));
}

const CREATION_COLUMNS = rowColumns("utxos")
  .map(({ column }) => column)
  .filter((name) => !name.startsWith("consumed_"));

/**
 * Writes exported outputs. The importing chain may have been indexed first: then the output's row exists without owners, and
 * the import's transaction is now listed for them. If another chain than the one that the export names imported it, the import consumed
 * nothing.
 */
async function storeExported(
  session: Session,
  networkId: number,
  batch: Batch,
  rows: readonly UtxoRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const imports = await loadImports(
    session,
    networkId,
    rows.map(({ utxo_id }) => utxo_id),
  );
  await insertRows(
    session,
    networkId,
    "utxos",
    rows,
    `ON CONFLICT (network_id, utxo_id) DO UPDATE SET ${fromInserted(CREATION_COLUMNS)},
       ${CONSUMPTION_COLUMNS.map((name) => `${name} = CASE WHEN utxos.chain = excluded.chain THEN utxos.${name} END`).join(", ")}
     WHERE utxos.created_timestamp IS NULL`,
  );
  const created = new Map(rows.map((row) => [row.utxo_id, row]));
  for (const { utxoId, inputIndex, spender } of imports) {
    const row = created.get(utxoId);
    if (row?.chain === spender.chain) batch.list(row.addresses, spender);
    else batch.except(inputException(spender, inputIndex, utxoId, "MISSING_INPUT"));
  }
}

/** The imports that were indexed before the exports of these outputs. */
async function loadImports(session: Session, networkId: number, utxoIds: readonly string[]): Promise<StoredInput[]> {
  const rows = await session.query<InputRow>(
    `SELECT encode(u.utxo_id, 'hex') AS id, array_position(t.consumed_utxo_ids, u.utxo_id) - 1 AS input_index,
       ${SPENDER_COLUMNS}
     FROM utxos u JOIN primary_transactions t ON t.network_id = $1 AND t.tx_hash = u.consumed_tx_hash
     WHERE u.network_id = $1 AND u.utxo_id = ANY ($2) AND u.created_timestamp IS NULL`,
    [networkId, utxoIds.map(pgBytes)],
  );
  return rows.map(storedInput);
}

/** Writes new end times of stakes, by the staked output's id. */
export async function storeStakeEnds(
  session: Session,
  networkId: number,
  ends: ReadonlyMap<string, number>,
): Promise<void> {
  if (ends.size === 0) return;
  await session.query(
    `UPDATE utxos SET stake_end = e.stake_end FROM unnest($2::bytea[], $3::bigint[]) AS e(utxo_id, stake_end)
     WHERE utxos.network_id = $1 AND utxos.utxo_id = e.utxo_id`,
    [networkId, [...ends.keys()].map(pgBytes), [...ends.values()]],
  );
}
