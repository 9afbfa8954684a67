import type { Session } from "../../shared/writer.ts";

/** The last block of a chain's rows. */
export interface Head {
  /** `seq` of the last entry of the raw blocks that the rows include; 0 before the first. */
  readonly rawSeq: number;
  /** -1 before the first block. */
  readonly blockNumber: number;
  /** Hex without `0x`; empty before the first block. */
  readonly blockHash: string;
  readonly cumulativeTransactions: number;
  /** Version of the rules with which the rows were computed; null before the first block. */
  readonly rowsVersion: number | null;
}

export const BEFORE_GENESIS: Head = {
  rawSeq: 0,
  blockNumber: -1,
  blockHash: "",
  cumulativeTransactions: 0,
  rowsVersion: null,
};

export async function loadHead(session: Session, chainId: string): Promise<Head> {
  const text =
    "SELECT raw_seq, block_number, block_hash, cumulative_transactions, rows_version FROM chain_heads WHERE chain_id = $1";
  const [row] = await session.query<{
    raw_seq: string;
    block_number: string;
    block_hash: Buffer;
    cumulative_transactions: string;
    rows_version: number;
  }>(text, [chainId]);
  if (!row) return BEFORE_GENESIS;
  return {
    rawSeq: Number(row.raw_seq),
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash.toString("hex"),
    cumulativeTransactions: Number(row.cumulative_transactions),
    rowsVersion: row.rows_version,
  };
}

/** Hash and parent hash (hex without `0x`) of an indexed block; null if it is not indexed. */
export async function indexedBlock(
  session: Session,
  chainId: string,
  blockNumber: number,
): Promise<{ hash: string; parentHash: string } | null> {
  const text = "SELECT block_hash, parent_hash FROM evm_blocks WHERE chain_id = $1 AND block_number = $2";
  const [row] = await session.query<{ block_hash: Buffer; parent_hash: Buffer }>(text, [chainId, blockNumber]);
  return row ? { hash: row.block_hash.toString("hex"), parentHash: row.parent_hash.toString("hex") } : null;
}
