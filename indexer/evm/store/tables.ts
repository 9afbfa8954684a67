import { createPartitionsOf } from "../../shared/partitions.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import type { BlockRows } from "../decode/block.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import { COLUMNS, type Row, type Table } from "../decode/columns.ts";
import type { NftItem } from "../decode/logs.ts";
import type { JournalEntry } from "../raw-store/journal.ts";
import { insertBalances } from "./balances.ts";
import { addUntraced, cutUntraced } from "./untraced-ranges.ts";

/** Where the rows of a chain stand. */
export interface Head {
  /** Last journal entry that is in the rows; 0 before the first. */
  readonly journalSeq: number;
  /** -1 before the first block. */
  readonly blockNumber: number;
  /** Hex without `0x`; empty before the first block. */
  readonly blockHash: string;
  readonly cumulativeTransactions: number;
  /** Version of the rules by which the rows were made; null before the first block. */
  readonly rowsVersion: number | null;
}

export const BEFORE_GENESIS: Head = {
  journalSeq: 0,
  blockNumber: -1,
  blockHash: "",
  cumulativeTransactions: 0,
  rowsVersion: null,
};

/** Tables whose rows are of one block each. */
export const TABLES = Object.keys(COLUMNS) as Table[];
/** Tables of what came up first in some block. */
const FIRST_SEEN = ["erc20_tokens", "nft_contracts", "nft_items"] as const;
/** Tables that have a partition for each chain. */
export const PARTITIONED = [
  ...TABLES,
  ...FIRST_SEEN,
  "erc20_balances",
  "nft_metadata",
  "raw_token_answers",
  "raw_traces",
  "journal",
] as const;

/** Makes the chain's part of every table where it is missing. */
export async function createPartitions(writer: Pick<Writer, "transaction">, chainId: string): Promise<void> {
  await createPartitionsOf(writer, PARTITIONED, chainId);
}

/** Adds rows of one table, if there are any. */
export async function copyRows(session: Session, table: Table, rows: readonly Row[]): Promise<void> {
  if (rows.length > 0) await session.copy(table, COLUMNS[table], rows);
}

/** The watermark. */
export async function loadHead(session: Session, chainId: string): Promise<Head> {
  const text =
    "SELECT journal_seq, block_number, block_hash, cumulative_transactions, rows_version FROM chain_heads WHERE chain_id = $1";
  const [row] = await session.query<{
    journal_seq: string;
    block_number: string;
    block_hash: Buffer;
    cumulative_transactions: string;
    rows_version: number;
  }>(text, [chainId]);
  if (!row) return BEFORE_GENESIS;
  return {
    journalSeq: Number(row.journal_seq),
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash.toString("hex"),
    cumulativeTransactions: Number(row.cumulative_transactions),
    rowsVersion: row.rows_version,
  };
}

/** Adds the rows of blocks that follow each other, moves the watermark there, and tells those who wait for blocks. */
export async function insertBlocks(
  session: Session,
  { chainId, rowsVersion }: Pick<ChainRules, "chainId" | "rowsVersion">,
  blocks: readonly BlockRows[],
  journalSeq: number,
): Promise<Head> {
  const last = blocks.at(-1);
  if (!last) return loadHead(session, chainId);
  for (const table of TABLES)
    await copyRows(
      session,
      table,
      blocks.flatMap((block) => block.rows[table]),
    );
  await insertFirstSeen(session, chainId, blocks);
  await insertBalances(session, chainId, blocks);
  await addUntraced(session, chainId, blocks);
  await session.query(
    `INSERT INTO chain_heads (chain_id, genesis_hash, journal_seq, block_number, block_hash, block_timestamp, cumulative_transactions, rows_version)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (chain_id) DO UPDATE SET journal_seq = excluded.journal_seq, block_number = excluded.block_number,
       block_hash = excluded.block_hash, block_timestamp = excluded.block_timestamp,
       cumulative_transactions = excluded.cumulative_transactions`,
    [
      chainId,
      pgBytes(blocks[0]?.hash ?? ""),
      journalSeq,
      last.number,
      pgBytes(last.hash),
      last.timestamp,
      last.cumulativeTransactions,
      rowsVersion,
    ],
  );
  await session.query("SELECT pg_notify('moraine_blocks', $1)", [
    JSON.stringify({ chainId, blockNumber: String(last.number) }),
  ]);
  const { number, hash, cumulativeTransactions } = last;
  return { journalSeq, blockNumber: number, blockHash: hash, cumulativeTransactions, rowsVersion };
}

/** Adds what comes up in these blocks for the first time. */
export async function insertFirstSeen(session: Session, chainId: string, blocks: readonly BlockRows[]): Promise<void> {
  await insertContracts(
    session,
    "erc20_tokens",
    chainId,
    firstBlocks(blocks, ({ tokens }) => tokens),
  );
  await insertContracts(
    session,
    "nft_contracts",
    chainId,
    firstBlocks(blocks, ({ nftContracts }) => nftContracts),
  );
  await insertNftItems(session, chainId, blocks);
}

/** Each key with the first of the blocks that has it. */
export function firstBlocks(
  blocks: readonly BlockRows[],
  keysOf: (block: BlockRows) => readonly string[],
): Map<string, number> {
  const first = new Map<string, number>();
  for (const block of blocks) for (const key of keysOf(block)) if (!first.has(key)) first.set(key, block.number);
  return first;
}

async function insertContracts(
  session: Session,
  table: "erc20_tokens" | "nft_contracts",
  chainId: string,
  firstBlock: ReadonlyMap<string, number>,
): Promise<void> {
  if (firstBlock.size === 0) return;
  await session.query(
    `INSERT INTO ${table} (chain_id, address, first_block_number)
     SELECT $1, * FROM unnest($2::bytea[], $3::bigint[]) ON CONFLICT DO NOTHING`,
    [chainId, [...firstBlock.keys()].map(pgBytes), [...firstBlock.values()]],
  );
}

async function insertNftItems(session: Session, chainId: string, blocks: readonly BlockRows[]): Promise<void> {
  const first = firstBlocks(blocks, ({ nftItems }) => nftItems.map(nftItemKey));
  if (first.size === 0) return;
  await session.query(
    `INSERT INTO nft_items (chain_id, address, token_id, erc_type, first_block_number)
     SELECT $1, * FROM unnest($2::bytea[], $3::numeric[], $4::text[], $5::bigint[]) ON CONFLICT DO NOTHING`,
    [chainId, ...nftItemLists([...first.keys()]), [...first.values()]],
  );
}

/** A token's key as one text. */
export const nftItemKey = ({ address, tokenId, ercType }: NftItem): string => `${address} ${tokenId} ${ercType}`;

/** Such keys as lists of addresses, token ids and standards. */
export function nftItemLists(keys: readonly string[]): string[][] {
  const items = keys.map((key) => key.split(" ") as [string, string, string]);
  return [
    items.map(([address]) => pgBytes(address)),
    items.map(([, tokenId]) => tokenId),
    items.map(([, , ercType]) => ercType),
  ];
}

/** Takes back every row above the block that the entry names, and moves the watermark there. */
export async function rollBack(session: Session, chainId: string, entry: JournalEntry): Promise<void> {
  const ancestor = entry.blockNumber;
  for (const table of [...TABLES, "erc20_balances"])
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number > $2`, [chainId, ancestor]);
  for (const table of FIRST_SEEN)
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND first_block_number > $2`, [chainId, ancestor]);
  await cutUntraced(session, chainId, ancestor);
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
  for (const table of ["erc20_tokens", "nft_contracts"])
    await session.query(
      `DELETE FROM raw_token_answers r USING ${table} t
       WHERE r.chain_id = $1 AND t.chain_id = $1 AND t.first_block_number > $2 AND r.address = t.address`,
      [chainId, ancestor],
    );
}

/** Empties a chain's rows, so that its journal can be replayed from the first entry. What is raw stays, and metadata of NFTs. */
export async function clearRows(session: Session, chainId: string): Promise<void> {
  const tables = [...TABLES, ...FIRST_SEEN, "erc20_balances", "untraced_ranges", "chain_heads"];
  for (const table of tables) await session.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId]);
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
