import { blockPayload, PRIMARY_BLOCKS, primaryChainName } from "../../../../core/database/block-channels.ts";
import { channelName } from "../../../../core/database/postgres/schema-names.ts";
import type { PrimaryChain } from "../../../../core/networks/primary-chains.ts";
import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";

/** Version of the code that derives the rows. Rows of another version are rebuilt from the raw blocks at the next start. */
export const ROWS_VERSION = 6;

/** How far the rows of a chain go. */
export interface PrimaryHead {
  /** The last entry of the raw blocks whose rows are written; of the C-Chain the last block. -1 before the first. */
  readonly rawSeq: number;
  /** -1 before the first block. */
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Id of the block's ProposerVM wrapper, or of the block if it has none; the next container names it. Empty before the first. */
  readonly containerId: string;
  readonly blockTimestamp: number;
  /** Number of transactions, which is the `tx_seq` of the next one. */
  readonly txCount: number;
}

export const NO_HEAD: PrimaryHead = {
  rawSeq: -1,
  blockNumber: -1,
  blockHash: "",
  containerId: "",
  blockTimestamp: 0,
  txCount: 0,
};

interface HeadRow extends Record<string, unknown> {
  readonly chain: PrimaryChain;
  readonly raw_seq: string;
  readonly block_number: string;
  readonly block_hash: Buffer;
  readonly container_id: Buffer;
  readonly block_timestamp: string;
  readonly tx_count: string;
  readonly rows_version: number;
}

/** The heads of the network's chains; null if there are no rows or rows of another version. */
export async function loadHeads(
  session: Session,
  networkId: number,
): Promise<Record<PrimaryChain, PrimaryHead> | null> {
  const rows = await session.query<HeadRow>("SELECT * FROM primary_heads WHERE network_id = $1", [networkId]);
  if (rows.length === 0 || rows.some(({ rows_version }) => rows_version !== ROWS_VERSION)) return null;
  const heads = { P: NO_HEAD, X: NO_HEAD, C: NO_HEAD };
  for (const row of rows)
    heads[row.chain] = {
      rawSeq: Number(row.raw_seq),
      blockNumber: Number(row.block_number),
      blockHash: row.block_hash.toString("hex"),
      containerId: row.container_id.toString("hex"),
      blockTimestamp: Number(row.block_timestamp),
      txCount: Number(row.tx_count),
    };
  return heads;
}

const NOTIFY_BLOCK = `SELECT pg_notify(${channelName(PRIMARY_BLOCKS.channel)}, $1)`;

/** Writes the head of a chain, and notifies the listeners for new blocks. */
export async function storeHead(
  session: Session,
  networkId: number,
  chain: PrimaryChain,
  head: PrimaryHead,
): Promise<void> {
  const { rawSeq, blockNumber, blockHash, containerId, blockTimestamp, txCount } = head;
  await session.query(
    `INSERT INTO primary_heads (network_id, chain, raw_seq, block_number, block_hash, container_id, block_timestamp, tx_count, rows_version)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (network_id, chain) DO UPDATE SET raw_seq = excluded.raw_seq, block_number = excluded.block_number,
       block_hash = excluded.block_hash, container_id = excluded.container_id,
       block_timestamp = excluded.block_timestamp, tx_count = excluded.tx_count, rows_version = excluded.rows_version`,
    [
      networkId,
      chain,
      rawSeq,
      blockNumber,
      pgBytes(blockHash),
      pgBytes(containerId),
      blockTimestamp,
      txCount,
      ROWS_VERSION,
    ],
  );
  if (chain !== "C" && blockNumber >= 0)
    await session.query(NOTIFY_BLOCK, [blockPayload(primaryChainName(networkId, chain), blockNumber)]);
}
