import type { EncodedCopy } from "../../shared/copy-query.ts";
import { copiesOf } from "../../shared/table-rows.ts";
import type { Queries, Session } from "../../shared/writer.ts";

/** A row of `raw_blocks`, the table of raw blocks: a block, or, if `payload` is null, a rollback to the named block. */
export interface RawBlockEntry {
  readonly seq: number;
  readonly blockNumber: number;
  /** Hex without `0x`. */
  readonly blockHash: string;
  readonly parentHash: string;
  readonly payload: Buffer | null;
}

/** Inserts entries. Their `seq` must continue that of the last entry, or fill a gap between stored entries. */
export async function appendEntries(
  session: Session,
  chainId: string,
  entries: readonly RawBlockEntry[],
): Promise<void> {
  await session.copy(copiesOfEntries(chainId, entries));
}

/** The rows that `appendEntries` inserts. */
export function copiesOfEntries(chainId: string, entries: readonly RawBlockEntry[]): EncodedCopy[] {
  const rows = entries.map(({ seq, blockNumber, blockHash, parentHash, payload }) => ({
    seq,
    block_number: blockNumber,
    block_hash: blockHash,
    parent_hash: parentHash,
    payload,
  }));
  return copiesOf("raw_blocks", chainId, rows);
}

interface EntryRow {
  seq: string;
  block_number: string;
  block_hash: Buffer;
  parent_hash: Buffer;
  payload: Buffer | null;
}

const parseEntry = (row: EntryRow): RawBlockEntry => ({
  seq: Number(row.seq),
  blockNumber: Number(row.block_number),
  blockHash: row.block_hash.toString("hex"),
  parentHash: row.parent_hash.toString("hex"),
  payload: row.payload,
});

/** Up to `limit` entries after `seq`, in ascending order. */
export async function entriesAfter(
  session: Queries,
  chainId: string,
  seq: number,
  limit: number,
): Promise<RawBlockEntry[]> {
  const text = `SELECT seq, block_number, block_hash, parent_hash, payload FROM raw_blocks
    WHERE chain_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`;
  return (await session.query<EntryRow & Record<string, unknown>>(text, [chainId, seq, limit])).map(parseEntry);
}

/** `seq` of the last entry; 0 if there is none. */
export async function lastSeq(session: Queries, chainId: string): Promise<number> {
  const text = "SELECT coalesce(max(seq), 0) AS seq FROM raw_blocks WHERE chain_id = $1";
  const [row] = await session.query<{ seq: string }>(text, [chainId]);
  return Number(row?.seq ?? 0);
}

/** Number of the last block, as the entries have it: rows may be computed later. -1 if there is none. */
export async function lastBlockNumber(session: Queries, chainId: string): Promise<number> {
  // A rollback names the block that is then the last one.
  const text = "SELECT block_number FROM raw_blocks WHERE chain_id = $1 ORDER BY seq DESC LIMIT 1";
  const [row] = await session.query<{ block_number: string }>(text, [chainId]);
  return Number(row?.block_number ?? -1);
}

/** The entries of the current blocks `from` to `to`, by ascending number: without rollbacks and replaced blocks. */
export async function acceptedEntries(
  session: Queries,
  chainId: string,
  from: number,
  to: number,
): Promise<RawBlockEntry[]> {
  const text = `SELECT DISTINCT ON (block_number) seq, block_number, block_hash, parent_hash, payload FROM raw_blocks
    WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 AND payload IS NOT NULL ORDER BY block_number, seq DESC`;
  return (await session.query<EntryRow & Record<string, unknown>>(text, [chainId, from, to])).map(parseEntry);
}
