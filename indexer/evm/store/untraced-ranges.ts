import type { Session } from "../../shared/writer.ts";

/** Blocks `from` to `to`, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

export const EVERY_BLOCK: BlockRange = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Notes which of these blocks, of which nothing is noted yet, are without their call trees. */
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

/** Takes one block out: its call trees are there now. */
export async function removeUntraced(session: Session, chainId: string, number: number): Promise<void> {
  await lockRanges(session, chainId);
  const holding = await session.query<RangeRow>(
    `WITH hull AS (
       SELECT min(from_block) AS first, max(to_block) AS last FROM untraced_ranges
       WHERE chain_id = $1 AND from_block <= $2 AND to_block >= $2
     )
     DELETE FROM untraced_ranges USING hull WHERE chain_id = $1 AND from_block <= hull.last AND to_block >= hull.first
     RETURNING from_block, to_block`,
    [chainId, number],
  );
  for (const { from, to } of without(number, joined(holding.map(rangeOf))))
    await session.query("INSERT INTO untraced_ranges (chain_id, from_block, to_block) VALUES ($1, $2, $3)", [
      chainId,
      from,
      to,
    ]);
}

/** Forgets the blocks above `ancestor`. */
export async function cutUntraced(session: Session, chainId: string, ancestor: number): Promise<void> {
  await lockRanges(session, chainId);
  await session.query("DELETE FROM untraced_ranges WHERE chain_id = $1 AND from_block > $2", [chainId, ancestor]);
  await session.query("UPDATE untraced_ranges SET to_block = $2 WHERE chain_id = $1 AND to_block > $2", [
    chainId,
    ancestor,
  ]);
}

/**
 * Until the transaction ends nobody else changes the ranges. A statement that waits for another's rows does not see those
 * that the other puts in their place, so all wait here, at the row that an indexer writes last.
 */
async function lockRanges(session: Session, chainId: string): Promise<void> {
  await session.query("SELECT FROM chain_heads WHERE chain_id = $1 FOR UPDATE", [chainId]);
}

interface RangeRow extends Record<string, string> {
  from_block: string;
  to_block: string;
}

const rangeOf = (row: RangeRow): BlockRange => ({ from: Number(row.from_block), to: Number(row.to_block) });

/** Ranges in any order as ranges that do not overlap. */
function joined(ranges: readonly BlockRange[]): BlockRange[] {
  const apart: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else apart.push({ from, to });
  }
  return apart;
}

function without(number: number, ranges: readonly BlockRange[]): BlockRange[] {
  return ranges
    .flatMap(({ from, to }) => [
      { from, to: Math.min(to, number - 1) },
      { from: Math.max(from, number + 1), to },
    ])
    .filter(({ from, to }) => from <= to);
}

/** The ranges that hold blocks of `within`, lowest first. */
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
  return rows.map(rangeOf);
}

/** Ascending numbers as ranges. */
export function rangesOf(numbers: readonly number[]): BlockRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}
