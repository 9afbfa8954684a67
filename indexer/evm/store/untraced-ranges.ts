import type { Session } from "../../shared/writer.ts";
import { type BlockRange, EVERY_BLOCK, rangesOf } from "../block-range.ts";

/** Records which of these blocks have no call trees. The blocks must not be recorded yet. */
export async function addUntraced(
  session: Session,
  chainId: string,
  blocks: readonly { readonly number: number; readonly isTraced: boolean }[],
): Promise<void> {
  const ranges = rangesOf(blocks.filter(({ isTraced }) => !isTraced).map(({ number }) => number));
  if (ranges.length > 0) await lockRanges(session, chainId);
  for (const { from, to } of ranges) {
    const extended = await session.query(
      `UPDATE untraced_ranges SET to_block = $3 WHERE chain_id = $1 AND to_block = $2
         AND from_block = (SELECT max(from_block) FROM untraced_ranges WHERE chain_id = $1 AND from_block <= $2)
       RETURNING 1`,
      [chainId, from - 1, to],
    );
    if (extended.length > 0) continue;
    await session.query("INSERT INTO untraced_ranges (chain_id, from_block, to_block) VALUES ($1, $2, $3)", [
      chainId,
      from,
      to,
    ]);
  }
}

/** Removes a block from the ranges: its call trees are stored now. */
export async function removeUntraced(session: Session, chainId: string, number: number): Promise<void> {
  await lockRanges(session, chainId);
  const overlapping = await session.query<RangeRow>(
    `WITH hull AS (
       SELECT min(from_block) AS first, max(to_block) AS last FROM untraced_ranges
       WHERE chain_id = $1 AND from_block <= $2 AND to_block >= $2
     )
     DELETE FROM untraced_ranges USING hull WHERE chain_id = $1 AND from_block <= hull.last AND to_block >= hull.first
     RETURNING from_block, to_block`,
    [chainId, number],
  );
  for (const { from, to } of without(number, merged(overlapping.map(parseRange))))
    await session.query("INSERT INTO untraced_ranges (chain_id, from_block, to_block) VALUES ($1, $2, $3)", [
      chainId,
      from,
      to,
    ]);
}

/** Removes the blocks above `ancestor` from the ranges. */
export async function cutUntraced(session: Session, chainId: string, ancestor: number): Promise<void> {
  await lockRanges(session, chainId);
  await session.query("DELETE FROM untraced_ranges WHERE chain_id = $1 AND from_block > $2", [chainId, ancestor]);
  await session.query("UPDATE untraced_ranges SET to_block = $2 WHERE chain_id = $1 AND to_block > $2", [
    chainId,
    ancestor,
  ]);
}

/**
 * Locks the chain's ranges until the transaction ends. A statement that waited for another transaction's row locks would
 * not see the rows that the other inserted, so all writers lock the chain's head row first.
 */
export async function lockRanges(session: Session, chainId: string): Promise<void> {
  await session.query("SELECT FROM chain_heads WHERE chain_id = $1 FOR UPDATE", [chainId]);
}

interface RangeRow extends Record<string, string> {
  from_block: string;
  to_block: string;
}

const parseRange = (row: RangeRow): BlockRange => ({ from: Number(row.from_block), to: Number(row.to_block) });

/** The same blocks as ranges that do not overlap, in ascending order. */
function merged(ranges: readonly BlockRange[]): BlockRange[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

function without(number: number, ranges: readonly BlockRange[]): BlockRange[] {
  return ranges
    .flatMap(({ from, to }) => [
      { from, to: Math.min(to, number - 1) },
      { from: Math.max(from, number + 1), to },
    ])
    .filter(({ from, to }) => from <= to);
}

/** The stored ranges that overlap `within`, in ascending order. */
export async function untracedRanges(
  session: Session,
  chainId: string,
  within: BlockRange = EVERY_BLOCK,
): Promise<BlockRange[]> {
  const rows = await session.query<RangeRow>(
    `SELECT from_block, to_block FROM untraced_ranges WHERE chain_id = $1 AND from_block <= $3 AND to_block >= $2
     ORDER BY from_block`,
    [chainId, within.from, within.to],
  );
  return rows.map(parseRange);
}
