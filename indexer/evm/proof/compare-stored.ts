import type { Difference } from "../../shared/verification.ts";
import type { Session } from "../../shared/writer.ts";
import { type BlockRange, EVERY_BLOCK } from "../block-range.ts";
import { compareBlocks } from "../compare/compare-blocks.ts";
import { canCompareHoldings } from "../compare/compare-holdings.ts";
import { canCompareMessages, compareMessagesOfBlocks } from "../compare/compare-messages.ts";
import type { Gap } from "../compare/gap.ts";
import type { BlockRows } from "../decode/block.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import { TABLES } from "../decode/tables.ts";
import { type Compared, differingRows, NOTHING_REPEATED } from "./difference.ts";
import { readStoredRun } from "./stored-chain.ts";

/** The rows of some blocks, compared with the stored blocks. */
export interface ComparedBlocks extends Compared {
  /** The blocks that were computed from the stored blocks. */
  readonly blocks: readonly BlockRows[];
  readonly canCompareHoldings: boolean;
}

/**
 * Compares the rows of consecutive blocks in every table with those that the stored blocks give, and the interchain messages of these blocks
 * with their events. `head` is the last indexed block: rows above it are surplus.
 */
export async function compareRun(
  session: Session,
  rules: ChainRules,
  run: BlockRange,
  head: number,
): Promise<ComparedBlocks> {
  const stored = await readStoredRun(session, rules, run);
  const gaps: Gap[] = [];
  let checked = run.to - run.from + 1;
  for (const { range, blocks } of stored.computed) {
    const within = { from: range.from, to: range.to === head ? EVERY_BLOCK.to : range.to };
    const comparison = { rules, repair: false, wrongBalances: new Map<string, bigint>(), hasExamples: true };
    gaps.push(...(await compareBlocks(session, comparison, blocks, within)));
    checked += blocks.reduce((sum, block) => sum + rowsOf(block), 0);
  }
  const messages = canCompareMessages(gaps) ? await compareMessagesOfBlocks(session, rules.chainId, run) : null;
  const ofMessages = messages?.gaps ?? [];
  const broken = [...stored.differences];
  return {
    blocks: stored.computed.flatMap(({ blocks }) => blocks),
    canCompareHoldings: canCompareHoldings(gaps) && broken.length === 0,
    checked: checked + (messages?.compared ?? 0),
    differing: broken.length + differingIn([...gaps, ...ofMessages]),
    differences: [
      ...broken.map(([, difference]) => difference),
      ...gaps.map((gap) => differenceOf(gap, "STORED_BLOCKS")),
      ...ofMessages.map((gap) => differenceOf(gap, "STORED_ROWS")),
    ],
    repeated: {
      ...NOTHING_REPEATED,
      blocks: [
        ...broken.map(([number]) => number),
        ...gaps.flatMap(({ blockNumber }) => blockNumber ?? []),
        // The sample does not tell which of the blocks has the message.
        ...(ofMessages.length > 0 ? stored.computed.flatMap(({ blocks }) => blocks.map(({ number }) => number)) : []),
      ],
    },
  };
}

/** Number of rows that a block has in all tables in which rows belong to one block. */
const rowsOf = ({ rows, balances, tokens, nftContracts, nftItems }: BlockRows): number =>
  TABLES.reduce((sum, table) => sum + rows[table].length, 0) +
  balances.length +
  tokens.length +
  nftContracts.length +
  nftItems.length;

export const differingIn = (gaps: readonly Gap[]): number => gaps.reduce((sum, gap) => sum + differingRows(gap), 0);

/** A gap as a difference. Without an example, it tells how many rows there are. */
export function differenceOf(
  { table, blockNumber, expected, found, example }: Gap,
  comparedWith: Difference["comparedWith"],
): Difference {
  const place = blockNumber === null ? "" : `block_number=${blockNumber}`;
  if (!example) return { comparedWith, table, key: place, indexed: `${found} rows`, expected: `${expected} rows` };
  // A key without the block is that of a token or a message.
  const key = place === "" || example.key.includes("block_number=") ? example.key : `${place}, ${example.key}`;
  return { comparedWith, table, key, indexed: example.indexed, expected: example.expected };
}
