import type { PrimaryChain } from "../../../../core/networks/primary-chains.ts";
import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import type { NetworkFacts } from "../../network/network.ts";
import { burnedIn } from "./activity/burned.ts";

/** The block of a transaction's row. */
export interface IndexedPlace {
  /** Null in a vertex. */
  readonly blockNumber: number | null;
  readonly blockHash: string | null;
}

/** Transactions that have rows, by id. */
export type IndexedTransactions = Map<string, IndexedPlace>;

/** Which of these transactions have rows. */
export async function loadIndexedTransactions(
  session: Session,
  networkId: number,
  txIds: readonly string[],
): Promise<IndexedTransactions> {
  if (txIds.length === 0) return new Map();
  const rows = await session.query<{ id: string; block_number: string | null; block_hash: string | null }>(
    `SELECT encode(tx_hash, 'hex') AS id, block_number, encode(block_hash, 'hex') AS block_hash
     FROM primary_transactions WHERE network_id = $1 AND tx_hash = ANY($2)`,
    [networkId, txIds.map(pgBytes)],
  );
  return new Map(
    rows.map(({ id, block_number, block_hash }) => [
      id,
      { blockNumber: block_number === null ? null : Number(block_number), blockHash: block_hash },
    ]),
  );
}

/** The place of the transaction's row becomes the one of a repeated transaction. */
const KEEP_PLACE = `INSERT INTO primary_repeated_transactions
    (network_id, chain, block_number, tx_seq, tx_hash, block_hash, block_timestamp)
  SELECT t.network_id, t.chain, t.block_number, t.tx_seq, t.tx_hash, t.block_hash, t.block_timestamp
  FROM primary_repeated_transactions r JOIN primary_transactions t ON t.network_id = $1 AND t.tx_hash = r.tx_hash
  WHERE r.network_id = $1 AND r.chain = $2 AND r.tx_seq = $3 RETURNING tx_seq, block_timestamp`;
const MOVE_LISTS = `WITH moved AS (
    DELETE FROM primary_address_transactions WHERE network_id = $1 AND chain = $2 AND tx_seq = $4
    RETURNING network_id, chain, address, tx_type
  ), place AS (SELECT tx_seq, block_timestamp FROM primary_repeated_transactions WHERE network_id = $1 AND chain = $2 AND tx_seq = $3)
  INSERT INTO primary_address_transactions (network_id, chain, address, tx_seq, tx_type, block_timestamp)
  SELECT m.network_id, m.chain, m.address, p.tx_seq, m.tx_type, p.block_timestamp FROM moved m, place p ON CONFLICT DO NOTHING`;
const MOVE_EXCEPTIONS =
  "UPDATE primary_exceptions SET tx_seq = $3 WHERE network_id = $1 AND chain = $2 AND tx_seq = $4";
const MOVE_ROW = `UPDATE primary_transactions t
  SET tx_seq = r.tx_seq, block_number = r.block_number, block_hash = r.block_hash, block_timestamp = r.block_timestamp
  FROM primary_repeated_transactions r
  WHERE r.network_id = $1 AND r.chain = $2 AND r.tx_seq = $3 AND t.network_id = $1 AND t.chain = $2 AND t.tx_seq = $4
  RETURNING t.block_timestamp AS time, ${burnedIn("t", "$5")} AS burned`;
const DELETE_PLACE = "DELETE FROM primary_repeated_transactions WHERE network_id = $1 AND chain = $2 AND tx_seq = $3";

/** A transaction whose row was moved to another block. */
export interface MovedTransaction {
  readonly chain: PrimaryChain;
  /** Amount of nAVAX that it burned. */
  readonly burned: bigint;
  /** Times of the two blocks in seconds. */
  readonly from: number;
  readonly to: number;
}

/**
 * Moves the row of a transaction to the place of a repeated one, whose `tx_seq` is given. The place that the row had becomes one of a
 * repeated transaction. Returns null if there is nothing to move.
 */
export async function moveToRepetition(
  session: Session,
  { networkId, avaxAssetId }: Pick<NetworkFacts, "networkId" | "avaxAssetId">,
  chain: PrimaryChain,
  txSeq: number,
): Promise<MovedTransaction | null> {
  const place = [networkId, chain, txSeq];
  const [former] = await session.query<{ tx_seq: string; block_timestamp: string }>(KEEP_PLACE, place);
  if (!former) return null;
  for (const statement of [MOVE_LISTS, MOVE_EXCEPTIONS]) await session.query(statement, [...place, former.tx_seq]);
  const [row] = await session.query<{ time: string; burned: string }>(MOVE_ROW, [
    ...place,
    former.tx_seq,
    pgBytes(avaxAssetId),
  ]);
  await session.query(DELETE_PLACE, place);
  return row ? { chain, burned: BigInt(row.burned), from: Number(former.block_timestamp), to: Number(row.time) } : null;
}
