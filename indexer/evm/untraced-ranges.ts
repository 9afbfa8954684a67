import type { Session } from "../writer.ts";

/** Blocks `from` to `to`, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** Notes which of these blocks, that follow all that are stored, came without their call trees. */
export async function addUntraced(
  session: Session,
  chainId: string,
  blocks: readonly { readonly number: number; readonly isTraced: boolean }[],
): Promise<void> {
  for (const { from, to } of rangesOf(blocks.filter(({ isTraced }) => !isTraced).map(({ number }) => number))) {
    const extended = await session.query(
      "UPDATE untraced_ranges SET to_block = $3 WHERE chain_id = $1 AND to_block = $2 RETURNING 1",
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
  const [range] = await session.query<{ from_block: string; to_block: string }>(
    `DELETE FROM untraced_ranges WHERE chain_id = $1 AND from_block <= $2 AND to_block >= $2
     RETURNING from_block, to_block`,
    [chainId, number],
  );
  if (!range) return;
  const rest = [
    { from: Number(range.from_block), to: number - 1 },
    { from: number + 1, to: Number(range.to_block) },
  ].filter(({ from, to }) => from <= to);
  for (const { from, to } of rest)
    await session.query("INSERT INTO untraced_ranges (chain_id, from_block, to_block) VALUES ($1, $2, $3)", [
      chainId,
      from,
      to,
    ]);
}

/** Forgets the blocks above `ancestor`. */
export async function cutUntraced(session: Session, chainId: string, ancestor: number): Promise<void> {
  await session.query("DELETE FROM untraced_ranges WHERE chain_id = $1 AND from_block > $2", [chainId, ancestor]);
  await session.query("UPDATE untraced_ranges SET to_block = $2 WHERE chain_id = $1 AND to_block > $2", [
    chainId,
    ancestor,
  ]);
}

/** The ranges, lowest first. */
export async function untracedRanges(session: Session, chainId: string): Promise<BlockRange[]> {
  const rows = await session.query<{ from_block: string; to_block: string }>(
    "SELECT from_block, to_block FROM untraced_ranges WHERE chain_id = $1 ORDER BY from_block",
    [chainId],
  );
  return rows.map((row) => ({ from: Number(row.from_block), to: Number(row.to_block) }));
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
