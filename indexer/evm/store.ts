import type { JournalEntry } from "../journal.ts";
import type { Session } from "../writer.ts";
import { type BlockRows, COLUMNS, type Table } from "./decode.ts";

/** Where the rows of a chain stand. */
export interface Head {
  /** Last journal entry that is in the rows; 0 before the first. */
  readonly journalSeq: number;
  /** -1 before the first block. */
  readonly blockNumber: number;
  /** Hex without `0x`; empty before the first block. */
  readonly blockHash: string;
  readonly cumulativeTransactions: number;
}

export const BEFORE_GENESIS: Head = { journalSeq: 0, blockNumber: -1, blockHash: "", cumulativeTransactions: 0 };

const TABLES = Object.keys(COLUMNS) as Table[];
/** Tables that have a partition for each chain. */
export const PARTITIONED = [...TABLES, "erc20_tokens", "raw_token_answers", "journal"] as const;

/** Makes the chain's partition of a table where it is missing. */
export async function createPartition(
  session: Session,
  table: (typeof PARTITIONED)[number],
  chainId: string,
): Promise<void> {
  await session.query(
    `CREATE TABLE IF NOT EXISTS ${table}_${chainId} PARTITION OF ${table} FOR VALUES IN (${chainId})`,
  );
}

/** The watermark. */
export async function loadHead(session: Session, chainId: string): Promise<Head> {
  const text =
    "SELECT journal_seq, block_number, block_hash, cumulative_transactions FROM chain_heads WHERE chain_id = $1";
  const [row] = await session.query<{
    journal_seq: string;
    block_number: string;
    block_hash: Buffer;
    cumulative_transactions: string;
  }>(text, [chainId]);
  if (!row) return BEFORE_GENESIS;
  return {
    journalSeq: Number(row.journal_seq),
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash.toString("hex"),
    cumulativeTransactions: Number(row.cumulative_transactions),
  };
}

/** Adds the rows of blocks that follow each other, moves the watermark there, and tells those who wait for blocks. */
export async function insertBlocks(
  session: Session,
  chainId: string,
  blocks: readonly BlockRows[],
  journalSeq: number,
): Promise<Head> {
  const last = blocks.at(-1);
  if (!last) return loadHead(session, chainId);
  for (const table of TABLES) {
    const rows = blocks.flatMap((block) => block.rows[table]);
    if (rows.length > 0) await session.copy(table, COLUMNS[table], rows);
  }
  await insertTokens(session, chainId, blocks);
  await session.query(
    `INSERT INTO chain_heads (chain_id, genesis_hash, journal_seq, block_number, block_hash, block_timestamp, cumulative_transactions)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (chain_id) DO UPDATE SET journal_seq = excluded.journal_seq, block_number = excluded.block_number,
       block_hash = excluded.block_hash, block_timestamp = excluded.block_timestamp,
       cumulative_transactions = excluded.cumulative_transactions`,
    [
      chainId,
      hexBytes(blocks[0]?.hash ?? ""),
      journalSeq,
      last.number,
      hexBytes(last.hash),
      last.timestamp,
      last.cumulativeTransactions,
    ],
  );
  await session.query("SELECT pg_notify('moraine_blocks', $1)", [
    JSON.stringify({ chainId, blockNumber: String(last.number) }),
  ]);
  const { number, hash, cumulativeTransactions } = last;
  return { journalSeq, blockNumber: number, blockHash: hash, cumulativeTransactions };
}

const hexBytes = (hex: string): string => `\\x${hex}`;

async function insertTokens(session: Session, chainId: string, blocks: readonly BlockRows[]): Promise<void> {
  const firstBlock = new Map<string, number>();
  for (const block of blocks)
    for (const token of block.tokens) if (!firstBlock.has(token)) firstBlock.set(token, block.number);
  if (firstBlock.size === 0) return;
  await session.query(
    `INSERT INTO erc20_tokens (chain_id, address, first_block_number)
     SELECT $1, * FROM unnest($2::bytea[], $3::bigint[]) ON CONFLICT DO NOTHING`,
    [chainId, [...firstBlock.keys()].map(hexBytes), [...firstBlock.values()]],
  );
}

/** Takes back every row above the block that the entry names, and moves the watermark there. */
export async function rollBack(session: Session, chainId: string, entry: JournalEntry): Promise<void> {
  const ancestor = entry.blockNumber;
  for (const table of TABLES)
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number > $2`, [chainId, ancestor]);
  await session.query("DELETE FROM erc20_tokens WHERE chain_id = $1 AND first_block_number > $2", [chainId, ancestor]);
  await session.query(
    `UPDATE chain_heads SET journal_seq = $3, block_number = b.block_number, block_hash = b.block_hash,
       block_timestamp = b.block_timestamp, cumulative_transactions = b.cumulative_transactions
     FROM evm_blocks b WHERE chain_heads.chain_id = $1 AND b.chain_id = $1 AND b.block_number = $2`,
    [chainId, ancestor, entry.seq],
  );
}

/**
 * Forgets what the tokens of blocks above `ancestor` answered: on another branch they may be other contracts. Not a part of
 * `rollBack`, because a replay meets rollbacks from before the answers that are stored now.
 */
export async function forgetTokenAnswers(session: Session, chainId: string, ancestor: number): Promise<void> {
  await session.query(
    `DELETE FROM raw_token_answers r USING erc20_tokens t
     WHERE r.chain_id = $1 AND t.chain_id = $1 AND t.first_block_number > $2 AND r.address = t.address`,
    [chainId, ancestor],
  );
}

/** Empties a chain's rows, so that its journal can be replayed from the first entry. Raw answers of tokens stay. */
export async function clearRows(session: Session, chainId: string): Promise<void> {
  for (const table of [...TABLES, "erc20_tokens", "chain_heads"] as const)
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId]);
}

/** Hash and parent hash of an indexed block; null when it is not indexed. */
export async function indexedBlock(
  session: Session,
  chainId: string,
  blockNumber: number,
): Promise<{ hash: string; parentHash: string } | null> {
  const text = "SELECT block_hash, parent_hash FROM evm_blocks WHERE chain_id = $1 AND block_number = $2";
  const [row] = await session.query<{ block_hash: Buffer; parent_hash: Buffer }>(text, [chainId, blockNumber]);
  return row ? { hash: row.block_hash.toString("hex"), parentHash: row.parent_hash.toString("hex") } : null;
}
