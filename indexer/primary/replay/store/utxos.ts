import { BadUpstreamData } from "../../../../core/errors.ts";
import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import type { Consumption } from "./batch.ts";
import { type RowOf, TABLES } from "./columns.ts";
import { columnNames, copyRows, rowsAsJson } from "./rows.ts";

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

/** Writes new outputs. Throws `BadUpstreamData` if an exported one contradicts the import that was indexed before it. */
export async function storeCreated(
  session: Session,
  networkId: number,
  rows: readonly RowOf<"utxos">[],
): Promise<void> {
  const isExported = ({ role }: RowOf<"utxos">) => role === "EXPORTED";
  await copyRows(
    session,
    networkId,
    "utxos",
    rows.filter((row) => !isExported(row)),
  );
  await storeExported(session, networkId, rows.filter(isExported));
}

const CREATION_COLUMNS = Object.keys(TABLES.utxos).filter((name) => !name.startsWith("consumed_"));

/**
 * Writes exported outputs. The importing chain may have been indexed first: then the output's row exists without owners, and
 * the import's transaction is now listed for them.
 */
async function storeExported(session: Session, networkId: number, rows: readonly RowOf<"utxos">[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = columnNames("utxos");
  const stored = await session.query<{ utxo_id: Buffer }>(
    `INSERT INTO utxos (${columns.join(", ")})
     SELECT ${columns.join(", ")} FROM jsonb_populate_recordset(NULL::utxos, $1::jsonb)
     ON CONFLICT (network_id, utxo_id) DO UPDATE SET ${CREATION_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}
     WHERE utxos.created_timestamp IS NULL AND utxos.asset_id = excluded.asset_id AND utxos.amount = excluded.amount
     RETURNING utxo_id`,
    [rowsAsJson(networkId, "utxos", rows)],
  );
  if (stored.length < rows.length)
    throw new BadUpstreamData(
      "an exported output exists already, or its import was indexed with another asset or amount",
    );
  await session.query(
    `INSERT INTO primary_address_transactions (network_id, chain, address, tx_seq, tx_type, block_timestamp)
     SELECT DISTINCT t.network_id, t.chain, owner, t.tx_seq, t.tx_type, t.block_timestamp
     FROM utxos u JOIN primary_transactions t ON t.network_id = $1 AND t.tx_hash = u.consumed_tx_hash,
       unnest(u.addresses) AS owner
     WHERE u.network_id = $1 AND u.utxo_id = ANY($2) AND u.consumed_tx_hash IS NOT NULL
     ON CONFLICT DO NOTHING`,
    [networkId, rows.map(({ utxo_id }) => pgBytes(utxo_id))],
  );
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

/** Marks outputs as spent. Throws `BadUpstreamData` if one does not exist or is spent already. */
export async function storeConsumptions(
  session: Session,
  networkId: number,
  consumptions: readonly Consumption[],
): Promise<void> {
  await storeSpent(
    session,
    networkId,
    consumptions.filter(({ imported }) => !imported),
  );
  await storeImported(
    session,
    networkId,
    consumptions.filter(({ imported }) => imported),
  );
}

async function storeSpent(session: Session, networkId: number, spent: readonly Consumption[]): Promise<void> {
  if (spent.length === 0) return;
  const updated = await session.query<{ utxo_id: Buffer }>(
    `UPDATE utxos SET consumed_tx_hash = c.tx_hash, consumed_block_number = c.block_number, consumed_timestamp = c.block_timestamp
     FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[]) AS c(utxo_id, tx_hash, block_number, block_timestamp)
     WHERE utxos.network_id = $1 AND utxos.utxo_id = c.utxo_id AND utxos.consumed_tx_hash IS NULL
       AND utxos.role <> 'EXPORTED' RETURNING utxos.utxo_id`,
    [
      networkId,
      spent.map(({ utxoId }) => pgBytes(utxoId)),
      spent.map(({ txHash }) => pgBytes(txHash)),
      spent.map(({ blockNumber }) => blockNumber),
      spent.map(({ timestamp }) => timestamp),
    ],
  );
  if (updated.length === spent.length) return;
  const found = new Set(updated.map(({ utxo_id }) => utxo_id.toString("hex")));
  const missing = spent.find(({ utxoId }) => !found.has(utxoId));
  throw new BadUpstreamData(
    `transaction ${missing?.txHash} spends output ${missing?.utxoId}, which does not exist or is spent already`,
  );
}

/**
 * Marks imported outputs as spent. If the export is not indexed yet, the output has no row: creates it from the import's input.
 */
async function storeImported(session: Session, networkId: number, imports: readonly Consumption[]): Promise<void> {
  if (imports.length === 0) return;
  const rows = imports.map(({ utxoId, txHash, blockNumber, timestamp, imported }) => ({
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
    consumed_tx_hash: txHash,
    consumed_block_number: blockNumber,
    consumed_timestamp: timestamp,
    ...imported,
  }));
  const columns = columnNames("utxos");
  const stored = await session.query(
    `INSERT INTO utxos (${columns.join(", ")})
     SELECT ${columns.join(", ")} FROM jsonb_populate_recordset(NULL::utxos, $1::jsonb)
     ON CONFLICT (network_id, utxo_id) DO UPDATE SET consumed_tx_hash = excluded.consumed_tx_hash,
       consumed_block_number = excluded.consumed_block_number, consumed_timestamp = excluded.consumed_timestamp
     WHERE utxos.consumed_tx_hash IS NULL AND utxos.chain = excluded.chain AND utxos.asset_id = excluded.asset_id
       AND utxos.amount = excluded.amount
     RETURNING utxo_id`,
    [rowsAsJson(networkId, "utxos", rows)],
  );
  if (stored.length < rows.length)
    throw new BadUpstreamData(
      "an import spends an output that is spent already, or that was exported to another chain, asset or amount",
    );
}
