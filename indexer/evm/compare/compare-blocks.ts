import { copiesOf } from "../../shared/table-rows.ts";
import type { Session } from "../../shared/writer.ts";
import { type BlockRange, isInRanges } from "../block-range.ts";
import type { BlockRows } from "../decode/block.ts";
import { CALL_TABLES } from "../decode/call-rows.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import { type Row, TABLES, type Table } from "../decode/tables.ts";
import { recountContracts } from "../store/activity/recount-contracts.ts";
import {
  balancesOf,
  changedPairs,
  type HoldersBefore,
  holdersBefore,
  type RunningBalances,
  runningBalances,
} from "../store/balances.ts";
import { insertFirstSeen } from "../store/first-seen.ts";
import { insertEmptyHolders } from "../store/holdings/erc20-holders.ts";
import { requireNewTransactions } from "../store/new-transactions.ts";
import { FIRST_SEEN_TABLES } from "../store/tables.ts";
import { untracedRanges } from "../store/untraced-ranges.ts";
import { compareFirstSeen, deleteFirstSeen } from "./compare-first-seen.ts";
import { compareRows, type Difference, HEX_BYTES, type RowsToCompare, rowExample } from "./compare-rows.ts";
import { type Example } from "./example.ts";
import { type Gap, rawGap } from "./gap.ts";

export interface Comparison {
  readonly rules: ChainRules;
  /** Whether to replace wrong rows. */
  readonly repair: boolean;
  /** The correct balances where the stored ones are wrong and not repaired, by token and address concatenated. */
  readonly wrongBalances: Map<string, bigint>;
  /** Whether to read an example of the rows that differ. Default: false. */
  readonly hasExamples?: boolean;
}

/** Compares the stored rows with those of consecutive decoded blocks, and repairs them if `repair` is set. */
export async function compareBlocks(
  session: Session,
  comparison: Comparison,
  blocks: readonly BlockRows[],
  within: BlockRange,
): Promise<Gap[]> {
  const { repair, rules, hasExamples = false } = comparison;
  const { chainId } = rules;
  await session.query(HEX_BYTES);
  const holders = await holdersOf(session, comparison, blocks);
  const before = new Map([...balancesOf(holders), ...comparison.wrongBalances]);
  const balances = runningBalances(blocks, holders, before);
  const lost = await blocksWithLostTraces(session, chainId, blocks);
  const gaps = lost.map((number) => rawGap("raw_traces", number, false));
  for (const one of tablesToCompare(blocks, balances, within)) {
    const differences = withoutPreserved(one, blocks, lost, await compareRows(session, chainId, one));
    const [first] = differences;
    const example = first && hasExamples ? await rowExample(session, chainId, one, first.blockNumber) : undefined;
    if (repair) await replaceRows(session, chainId, one, differences);
    else if (one.table === "erc20_balances") recordWrongBalances(comparison, blocks, balances, differences);
    gaps.push(...gapsOf(one.table, differences, repair, example));
  }
  return [...gaps, ...(await compareFirstSeenTables(session, comparison, blocks, within))];
}

/** The differences as gaps, the first with the example. */
function gapsOf(
  table: Gap["table"],
  differences: readonly Difference[],
  isRepaired: boolean,
  example: Example | undefined,
): Gap[] {
  return differences.map((difference, i) => ({
    ...difference,
    table,
    isRepaired,
    ...(i === 0 && example ? { example } : {}),
  }));
}

/** The holders whose balances the blocks change. If `repair` is set, stores those that are missing, so that they have numbers. */
async function holdersOf(
  session: Session,
  { repair, rules: { chainId } }: Comparison,
  blocks: readonly BlockRows[],
): Promise<HoldersBefore> {
  const holders = await holdersBefore(session, chainId, blocks);
  if (!repair) return holders;
  const missing = changedPairs(blocks).filter(([token, address]) => !holders.has(token + address));
  return new Map([...holders, ...(await insertEmptyHolders(session, chainId, missing))]);
}

async function compareFirstSeenTables(
  session: Session,
  { repair, rules: { chainId }, hasExamples = false }: Comparison,
  blocks: readonly BlockRows[],
  within: BlockRange,
): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const table of FIRST_SEEN_TABLES) {
    const { differences, wrongKeys, example } = await compareFirstSeen(session, chainId, table, blocks, within);
    if (repair) await deleteFirstSeen(session, chainId, table, wrongKeys);
    gaps.push(...gapsOf(table, differences, repair, hasExamples ? example : undefined));
  }
  if (repair && gaps.length > 0) await insertFirstSeen(session, chainId, blocks);
  return gaps;
}

/** Numbers of the blocks whose call trees are neither stored nor recorded as missing. */
async function blocksWithLostTraces(
  session: Session,
  chainId: string,
  blocks: readonly BlockRows[],
): Promise<number[]> {
  const within = { from: blocks[0]?.number ?? 0, to: blocks.at(-1)?.number ?? -1 };
  const recorded = await untracedRanges(session, chainId, within);
  return blocks
    .filter(({ isTraced, number }) => !isTraced && !isInRanges(recorded, number))
    .map(({ number }) => number);
}

function tablesToCompare(
  blocks: readonly BlockRows[],
  { rows: balances }: RunningBalances,
  within: BlockRange,
): RowsToCompare[] {
  const tables = TABLES.map((table): RowsToCompare => {
    const expected = new Map(blocks.map(({ number, rows }) => [number, rows[table]]));
    return { table, expected, within };
  });
  return [...tables, { table: "erc20_balances", expected: balances, within }];
}

const TABLES_OF_CALL_TREES: ReadonlySet<string> = new Set<Table>(CALL_TABLES);

/**
 * Leaves out differences in rows that can be computed only from call trees. If a block's call trees are lost, all its stored
 * rows of these tables are preserved. If they are recorded as missing, surplus rows are preserved, but deployments that
 * receipts name are still expected.
 */
function withoutPreserved(
  { table }: RowsToCompare,
  blocks: readonly BlockRows[],
  lost: readonly number[],
  differences: readonly Difference[],
): readonly Difference[] {
  if (!TABLES_OF_CALL_TREES.has(table)) return differences;
  const untraced = new Set(blocks.filter(({ isTraced }) => !isTraced).map(({ number }) => number));
  return differences.filter(
    ({ blockNumber, wrong }) => !lost.includes(blockNumber) && (wrong === 0 || !untraced.has(blockNumber)),
  );
}

async function replaceRows(
  session: Session,
  chainId: string,
  { table, expected }: RowsToCompare,
  differences: readonly Difference[],
): Promise<void> {
  if (differences.length === 0) return;
  const numbers = differences.map(({ blockNumber }) => blockNumber);
  await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number = ANY ($2::bigint[])`, [
    chainId,
    numbers,
  ]);
  const rowsOf = (number: number) => expected.get(number) ?? [];
  if (table === "evm_transactions") {
    const hashOf = (row: object) => (row as Row<"evm_transactions">).tx_hash;
    const blocks = numbers.map((number) => ({ number, transactionHashes: rowsOf(number).map(hashOf) }));
    await requireNewTransactions(session, chainId, blocks);
  }
  await session.copy(copiesOf(table, chainId, numbers.flatMap(rowsOf)));
  if (table === "evm_deployments") await recountContracts(session, chainId, numbers);
}

/**
 * Each balance is computed from the previous one. The correct balances are recorded, so that one error is reported only once.
 */
function recordWrongBalances(
  { wrongBalances }: Comparison,
  blocks: readonly BlockRows[],
  { latest }: RunningBalances,
  differences: readonly Difference[],
): void {
  const wrong = new Set(differences.map(({ blockNumber }) => blockNumber));
  for (const block of blocks.filter(({ number }) => wrong.has(number)))
    for (const { token, address } of block.balances)
      wrongBalances.set(token + address, latest.get(token + address) ?? 0n);
  for (const pair of wrongBalances.keys()) wrongBalances.set(pair, latest.get(pair) ?? wrongBalances.get(pair) ?? 0n);
}
