import type { Session } from "../../../shared/writer.ts";
import { blockNumbers, EVERY_BLOCK, rangesOf } from "../../block-range.ts";
import { type Comparison, compareBlocks } from "../../compare/compare-blocks.ts";
import { type Gap, rawGap } from "../../compare/gap.ts";
import { type BlockRows, decodeBlock } from "../../decode/block.ts";
import type { ChainRules } from "../../decode/chain-rules.ts";
import { acceptedEntries, lastSeq, type RawBlockEntry } from "../../raw-blocks/entries.ts";
import { storedBlocks } from "../../raw-blocks/stored-blocks.ts";
import { type Head, loadHead } from "../../store/head.ts";
import { CommandRefused } from "../command.ts";

/** Number of blocks that are compared in one transaction. */
export const PAGE = 200;

/** State of a scan from genesis to the head. */
export interface Scan extends Comparison {
  /** Last scanned block; -1 before the first. */
  blockNumber: number;
  /** Number of transactions up to that block; null if the block is not stored. */
  transactions: number | null;
}

/** Scans the next page of blocks; null if there are none. Leaves the scan unchanged, and returns the one that continues after the page. */
export async function scanPage(
  session: Session,
  before: Scan,
): Promise<{ readonly gaps: Gap[]; readonly head: number; readonly scan: Scan } | null> {
  const scan: Scan = { ...before, wrongBalances: new Map(before.wrongBalances) };
  const { chainId } = scan.rules;
  const head = await loadHead(session, chainId);
  await requireComplete(session, scan.rules, head);
  const from = scan.blockNumber + 1;
  if (from > head.blockNumber) return null;
  const to = Math.min(head.blockNumber, from + PAGE - 1);
  const entries = await acceptedEntries(session, chainId, from, to);
  const stored = new Set(entries.map(({ blockNumber }) => blockNumber));
  const gaps = blockNumbers({ from, to })
    .filter((number) => !stored.has(number))
    .map((number) => rawGap("raw_blocks", number, false));
  const ranges = rangesOf([...stored]);
  for (const range of ranges) {
    const run = entries.filter(({ blockNumber }) => blockNumber >= range.from && blockNumber <= range.to);
    // Rows above the head are surplus.
    const end = range.to === head.blockNumber ? EVERY_BLOCK.to : range.to;
    const blocks = await decodeRun(session, scan, run);
    gaps.push(...(await compareBlocks(session, scan, blocks, { from: range.from, to: end })));
  }
  scan.blockNumber = to;
  if (ranges.at(-1)?.to !== to) scan.transactions = null;
  return { gaps, head: head.blockNumber, scan };
}

/** Throws `CommandRefused` if the rows of the chain must be replayed before they can be compared. */
export async function requireComplete(
  session: Session,
  { chainId, rowsVersion }: ChainRules,
  head: Head,
): Promise<void> {
  const remedy = `start the indexer, or run \`moraine replay --chain ${chainId}\`, to replay them`;
  if (head.rowsVersion !== null && head.rowsVersion !== rowsVersion)
    throw new CommandRefused(
      `the rows of chain ${chainId} were computed with other rules than the current ones: ${remedy}`,
    );
  if (head.rawSeq < (await lastSeq(session, chainId)))
    throw new CommandRefused(`the rows of chain ${chainId} end before its raw blocks do: ${remedy}`);
}

/** Decodes consecutive stored blocks, and moves the scan to the last of them. */
async function decodeRun(session: Session, scan: Scan, entries: readonly RawBlockEntry[]): Promise<BlockRows[]> {
  const { rules } = scan;
  const [first] = entries as readonly [RawBlockEntry];
  const isAfterHole = first.blockNumber !== scan.blockNumber + 1 || scan.transactions === null;
  // After a missing block, the previous state is known only from the stored rows.
  if (isAfterHole) scan.wrongBalances.clear();
  let before = isAfterHole
    ? await transactionsBefore(session, rules.chainId, first.blockNumber)
    : (scan.transactions ?? 0);
  const blocks = (await storedBlocks(session, rules.chainId, entries)).map((raw) => {
    const block = decodeBlock(rules, raw, before);
    before = block.cumulativeTransactions;
    return block;
  });
  scan.blockNumber = blocks.at(-1)?.number ?? scan.blockNumber;
  scan.transactions = before;
  return blocks;
}

async function transactionsBefore(session: Session, chainId: string, blockNumber: number): Promise<number> {
  const [row] = await session.query<{ before: string }>(
    "SELECT cumulative_transactions - tx_count AS before FROM evm_blocks WHERE chain_id = $1 AND block_number = $2",
    [chainId, blockNumber],
  );
  return Number(row?.before ?? 0);
}
