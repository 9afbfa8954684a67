import { messageOf } from "../../../core/errors/errors.ts";
import type { Difference } from "../../shared/verification.ts";
import type { Session } from "../../shared/writer.ts";
import { type BlockRange, blockNumbers, rangesOf } from "../block-range.ts";
import { type BlockRows, decodeBlock } from "../decode/block.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import { verifyBlock } from "../fetch/verify-block.ts";
import { acceptedEntries, type RawBlockEntry } from "../raw-blocks/entries.ts";
import { type CompressedBlock, compressedBlocks, decompressed } from "../raw-blocks/stored-blocks.ts";

/** Consecutive blocks that were computed from the stored blocks. */
export interface ComputedRun {
  readonly range: BlockRange;
  readonly blocks: readonly BlockRows[];
}

/** What stored blocks give, and which of them are missing, cannot be read, or do not follow one another. */
export interface StoredRun {
  readonly computed: readonly ComputedRun[];
  /** By block number. */
  readonly differences: ReadonlyMap<number, Difference>;
}

/**
 * Reads stored blocks, checks that each is consistent and names the block before it as its parent, and computes their rows. Three
 * statements, and one for each part after a block that is missing or wrong.
 */
export async function readStoredRun(session: Session, rules: ChainRules, run: BlockRange): Promise<StoredRun> {
  const { chainId } = rules;
  const entries = await acceptedEntries(session, chainId, Math.max(0, run.from - 1), run.to);
  const byNumber = new Map(entries.map((entry) => [entry.blockNumber, entry]));
  const own = entries.filter(({ blockNumber }) => blockNumber >= run.from);
  const compressed = await compressedBlocks(session, chainId, own);
  const differences = new Map<number, Difference>();
  for (const number of blockNumbers(run))
    if (!byNumber.has(number)) differences.set(number, differenceOf(number, "nothing", "the block"));
  const raws = new Map<number, Awaited<ReturnType<typeof readBlock>>>();
  for (const [i, entry] of own.entries()) {
    const { blockNumber } = entry;
    try {
      raws.set(blockNumber, await readBlock(entry, byNumber.get(blockNumber - 1), compressed[i] as CompressedBlock));
    } catch (error) {
      differences.set(blockNumber, differenceOf(blockNumber, messageOf(error), "a consistent block"));
    }
  }
  const computed: ComputedRun[] = [];
  for (const range of rangesOf([...raws.keys()])) {
    let before = await transactionsBefore(session, chainId, range.from);
    const blocks: BlockRows[] = [];
    for (const number of blockNumbers(range)) {
      const block = decodeBlock(rules, raws.get(number) as Awaited<ReturnType<typeof readBlock>>, before);
      before = block.cumulativeTransactions;
      blocks.push(block);
    }
    computed.push({ range, blocks });
  }
  return { computed, differences };
}

const differenceOf = (number: number, indexed: string, expected: string): Difference => ({
  comparedWith: "STORED_BLOCKS",
  table: "raw_blocks",
  key: `block_number=${number}`,
  indexed,
  expected,
});

/** Throws if the block cannot be read, contradicts itself, or does not follow the block before it. */
async function readBlock(entry: RawBlockEntry, previous: RawBlockEntry | undefined, compressed: CompressedBlock) {
  const { blockNumber, blockHash, parentHash } = entry;
  const [raw] = await decompressed([compressed]);
  if (!raw) throw new Error("the block cannot be read");
  verifyBlock(blockNumber, raw.block, raw.receipts);
  if (raw.block.hash !== `0x${blockHash}`)
    throw new Error(`the block has the hash ${raw.block.hash}, not 0x${blockHash}`);
  if (raw.block.parentHash !== `0x${parentHash}`)
    throw new Error(`the block names the parent ${raw.block.parentHash}, not 0x${parentHash}`);
  if (previous && previous.blockHash !== parentHash)
    throw new Error(`the block names the parent 0x${parentHash}, but the block before it is 0x${previous.blockHash}`);
  return raw;
}

/** Number of transactions before a block, by the row of the block before it, or else by its own row. */
async function transactionsBefore(session: Session, chainId: string, blockNumber: number): Promise<number> {
  if (blockNumber === 0) return 0;
  const [row] = await session.query<{ before: string | null }>(
    `SELECT coalesce(
       (SELECT cumulative_transactions FROM evm_blocks WHERE chain_id = $1 AND block_number = $2::bigint - 1),
       (SELECT cumulative_transactions - tx_count FROM evm_blocks WHERE chain_id = $1 AND block_number = $2)) AS before`,
    [chainId, blockNumber],
  );
  return Number(row?.before ?? 0);
}
