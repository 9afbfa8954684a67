import { type Session, tryBecomeWriter, type Writer } from "../../../shared/writer.ts";
import { type BlockRows, decodeBlock } from "../../decode/block.ts";
import type { ChainRules } from "../../decode/chain-rules.ts";
import { COLUMNS, type Row, type Table } from "../../decode/columns.ts";
import { acceptedEntries, type JournalEntry, lastSeq } from "../../raw-store/journal.ts";
import { storedBlocks } from "../../replay/replay.ts";
import { BALANCE_COLUMNS, type RunningBalances, runningBalances } from "../../store/balances.ts";
import { type CapabilityState, storedCapability } from "../../store/capabilities.ts";
import { createPartitions, type Head, insertFirstSeen, loadHead, TABLES } from "../../store/tables.ts";
import { type BlockRange, EVERY_BLOCK, rangesOf, untracedRanges } from "../../store/untraced-ranges.ts";
import { asWriter, type CommandDeps, CommandRefused } from "../command.ts";
import { compareFirstSeen, deleteFirstSeen, FIRST_SEEN_TABLES, type FirstSeenTable } from "./compare-first-seen.ts";
import { type Compared, compareRows, type Difference } from "./compare-rows.ts";
import { fetchMissingBlocks, fetchMissingTraces } from "./fetch-missing.ts";

/** Blocks that are looked at in one transaction. */
const PAGE = 200;
const REPORT_INTERVAL_MS = 5_000;

/** Rows, or something raw, that are missing, or are there and should not be, or are others than they should be. */
export interface Gap extends Difference {
  /** Table; `journal` and `raw_traces` for the raw block itself, and for its call trees. */
  readonly table: Table | "erc20_balances" | FirstSeenTable | "journal" | "raw_traces";
  readonly isMended: boolean;
}

export interface Found {
  readonly gaps: readonly Gap[];
  /** Whether the chain has call trees at all, and why not; null where no indexer has looked. */
  readonly traces: CapabilityState | null;
  /** Blocks that are known to have been indexed without. */
  readonly untraced: readonly BlockRange[];
}

/**
 * Compares every row of every block with what the raw store gives, from genesis to the head, and tells each gap. With `repair`
 * it makes those rows again, and asks the node for blocks and call trees that the raw store has lost: then no indexer or
 * backfill may write the chain meanwhile. Call trees that the node does not give any more are noted as missing.
 */
export async function findGaps(deps: CommandDeps, repair: boolean): Promise<Found> {
  const { url, rules } = deps;
  const { chainId } = rules;
  await using reader = await tryBecomeWriter(url, `${chainId} ${repair ? "backfill" : "gaps"}`);
  const other = repair ? `chain ${chainId} is being backfilled` : `gaps of chain ${chainId} are being looked for`;
  if (!reader) throw new CommandRefused(`${other} by another process`);
  const found = repair
    ? await asWriter(url, chainId, (writer) => walk(deps, writer, true))
    : await walk(deps, reader, false);
  return reader.transaction(async (session) => ({
    gaps: found,
    traces: await storedCapability(session, chainId, "traces"),
    untraced: await untracedRanges(session, chainId),
  }));
}

/** What is known after the blocks so far. */
interface Walked {
  /** Last block that was looked at; -1 before the first. */
  blockNumber: number;
  /** From genesis on; null after a block that the raw store lacks. */
  transactions: number | null;
  /** Balances, by token and address, that are stored wrong and were not mended. */
  readonly balances: Map<string, bigint>;
}

async function walk(deps: CommandDeps, writer: Writer, repair: boolean): Promise<Gap[]> {
  const { rules, report, signal } = deps;
  const { chainId } = rules;
  if (repair) await createPartitions(writer, chainId);
  const walked: Walked = { blockNumber: -1, transactions: 0, balances: new Map() };
  const gaps: Gap[] = [];
  let reportedAt = performance.now();
  for (;;) {
    signal.throwIfAborted();
    if (repair) gaps.push(...(await fetchPage(deps, writer, walked.blockNumber + 1)));
    const page = await writer.transaction(async (session) => {
      // One moment: an indexer may be writing.
      if (!repair) await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      return look(session, deps, walked, repair);
    });
    if (!page) return gaps;
    gaps.push(...page.gaps);
    if (performance.now() - reportedAt < REPORT_INTERVAL_MS) continue;
    reportedAt = performance.now();
    report(`chain ${chainId}: looked at blocks up to ${walked.blockNumber} of ${page.head}, ${gaps.length} gaps`);
  }
}

/** What of the raw store can be brought again from the node. */
async function fetchPage(deps: CommandDeps, writer: Writer, from: number): Promise<Gap[]> {
  const { rules } = deps;
  const head = await writer.transaction(async (session) => {
    const loaded = await loadHead(session, rules.chainId);
    await requireWhole(session, rules, loaded);
    return loaded;
  });
  const range = { from, to: Math.min(head.blockNumber, from + PAGE - 1) };
  const blocks = await fetchMissingBlocks(deps, writer, range);
  const { fetched, refused } = await fetchMissingTraces(deps, writer, range);
  return [
    ...blocks.map((number) => rawGap("journal", number, true)),
    ...fetched.map((number) => rawGap("raw_traces", number, true)),
    ...refused.map((number) => rawGap("raw_traces", number, false)),
  ];
}

const rawGap = (table: "journal" | "raw_traces", blockNumber: number, isMended: boolean): Gap => ({
  table,
  blockNumber,
  expected: 1,
  found: 0,
  wrong: 0,
  isMended,
});

/** Looks at the next blocks; null when there are none. */
async function look(
  session: Session,
  deps: CommandDeps,
  walked: Walked,
  repair: boolean,
): Promise<{ readonly gaps: Gap[]; readonly head: number } | null> {
  const { chainId } = deps.rules;
  const head = await loadHead(session, chainId);
  await requireWhole(session, deps.rules, head);
  const from = walked.blockNumber + 1;
  if (from > head.blockNumber) return null;
  const to = Math.min(head.blockNumber, from + PAGE - 1);
  const entries = await acceptedEntries(session, chainId, from, to);
  const present = rangesOf(entries.map(({ blockNumber }) => blockNumber));
  const known = new Set(entries.map(({ blockNumber }) => blockNumber));
  const gaps = numbersOf(from, to)
    .filter((number) => !known.has(number))
    .map((number) => rawGap("journal", number, false));
  for (const range of present) {
    const run = entries.filter(({ blockNumber }) => blockNumber >= range.from && blockNumber <= range.to);
    // Rows above the head are too many.
    const end = range.to === head.blockNumber ? EVERY_BLOCK.to : range.to;
    gaps.push(...(await lookAtRun(session, deps, walked, run, { from: range.from, to: end }, repair)));
  }
  walked.blockNumber = to;
  if (present.at(-1)?.to !== to) walked.transactions = null;
  return { gaps, head: head.blockNumber };
}

/** Throws `CommandRefused` for rows that are to be made again anyway. */
async function requireWhole(session: Session, { chainId, rowsVersion }: ChainRules, head: Head): Promise<void> {
  const again = `they are made again when the indexer starts, or by \`npm run replay -- --chain ${chainId}\``;
  if (head.rowsVersion !== null && head.rowsVersion !== rowsVersion)
    throw new CommandRefused(`other rules hold for chain ${chainId} than those that its rows were made by: ${again}`);
  if (head.journalSeq < (await lastSeq(session, chainId)))
    throw new CommandRefused(`the rows of chain ${chainId} end before its raw store does: ${again}`);
}

const numbersOf = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Looks at blocks that follow each other, and mends what is wrong. */
async function lookAtRun(
  session: Session,
  deps: CommandDeps,
  walked: Walked,
  entries: readonly JournalEntry[],
  within: BlockRange,
  repair: boolean,
): Promise<Gap[]> {
  const { chainId } = deps.rules;
  const blocks = await decodedBlocks(session, deps, walked, entries);
  const running = await runningBalances(session, chainId, blocks, walked.balances);
  const lost = await lostTraces(session, chainId, blocks);
  const gaps = lost.map((number) => rawGap("raw_traces", number, false));
  for (const compared of comparedTables(blocks, running, within)) {
    const differences = withoutKept(compared, blocks, lost, await compareRows(session, chainId, compared));
    if (repair) await mendRows(session, chainId, compared, differences);
    else if (compared.table === "erc20_balances") noteWrong(walked, blocks, running, differences);
    gaps.push(...differences.map((one) => ({ ...one, table: compared.table, isMended: repair })));
  }
  return [...gaps, ...(await lookAtFirstSeen(session, chainId, blocks, within, repair))];
}

async function lookAtFirstSeen(
  session: Session,
  chainId: string,
  blocks: readonly BlockRows[],
  within: BlockRange,
  repair: boolean,
): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const table of FIRST_SEEN_TABLES) {
    const { differences, wrongKeys } = await compareFirstSeen(session, chainId, table, blocks, within);
    if (repair) await deleteFirstSeen(session, chainId, table, wrongKeys);
    gaps.push(...differences.map((one) => ({ ...one, table, isMended: repair })));
  }
  if (repair && gaps.length > 0) await insertFirstSeen(session, chainId, blocks);
  return gaps;
}

async function decodedBlocks(
  session: Session,
  { rules }: CommandDeps,
  walked: Walked,
  entries: readonly JournalEntry[],
): Promise<BlockRows[]> {
  const [first] = entries as readonly [JournalEntry];
  // What came before a block that is missing only its row can say.
  const isAfterHole = first.blockNumber !== walked.blockNumber + 1 || walked.transactions === null;
  if (isAfterHole) walked.balances.clear();
  let before = isAfterHole
    ? await transactionsBefore(session, rules.chainId, first.blockNumber)
    : (walked.transactions ?? 0);
  const blocks = (await storedBlocks(session, rules.chainId, entries)).map((raw) => {
    const block = decodeBlock(rules, raw, before);
    before = block.cumulativeTransactions;
    return block;
  });
  walked.blockNumber = blocks.at(-1)?.number ?? walked.blockNumber;
  walked.transactions = before;
  return blocks;
}

async function transactionsBefore(session: Session, chainId: string, blockNumber: number): Promise<number> {
  const [row] = await session.query<{ before: string }>(
    "SELECT cumulative_transactions - tx_count AS before FROM evm_blocks WHERE chain_id = $1 AND block_number = $2",
    [chainId, blockNumber],
  );
  return Number(row?.before ?? 0);
}

/** Blocks whose call trees the raw store has lost: nobody noted that they came without. */
async function lostTraces(session: Session, chainId: string, blocks: readonly BlockRows[]): Promise<number[]> {
  const within = { from: blocks[0]?.number ?? 0, to: blocks.at(-1)?.number ?? -1 };
  const noted = await untracedRanges(session, chainId, within);
  const isNoted = (number: number) => noted.some(({ from, to }) => from <= number && number <= to);
  return blocks.filter(({ isTraced, number }) => !isTraced && !isNoted(number)).map(({ number }) => number);
}

interface ComparedTable extends Compared {
  readonly table: Table | "erc20_balances";
}

function comparedTables(
  blocks: readonly BlockRows[],
  { rows: balances }: RunningBalances,
  within: BlockRange,
): ComparedTable[] {
  const tables = TABLES.map((table): ComparedTable => {
    const expected = new Map(blocks.map(({ number, rows }): [number, readonly Row[]] => [number, rows[table]]));
    return { table, columns: COLUMNS[table], expected, within };
  });
  return [...tables, { table: "erc20_balances", columns: BALANCE_COLUMNS, expected: balances, within }];
}

const OF_CALL_TREES: ReadonlySet<string> = new Set(["evm_internal_transactions", "evm_deployments"] satisfies Table[]);

/**
 * Without its call trees a block does not say what they told: rows that are left of them are better than none. Where they are
 * lost for good, contracts that its receipts name are missed all the same.
 */
function withoutKept(
  { table }: ComparedTable,
  blocks: readonly BlockRows[],
  lost: readonly number[],
  differences: readonly Difference[],
): readonly Difference[] {
  if (!OF_CALL_TREES.has(table)) return differences;
  const untraced = new Set(blocks.filter(({ isTraced }) => !isTraced).map(({ number }) => number));
  return differences.filter(
    ({ blockNumber, wrong }) => !lost.includes(blockNumber) && (wrong === 0 || !untraced.has(blockNumber)),
  );
}

async function mendRows(
  session: Session,
  chainId: string,
  { table, columns, expected }: ComparedTable,
  differences: readonly Difference[],
): Promise<void> {
  if (differences.length === 0) return;
  const numbers = differences.map(({ blockNumber }) => blockNumber);
  await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number = ANY ($2::bigint[])`, [
    chainId,
    numbers,
  ]);
  await session.copy(
    table,
    columns,
    numbers.flatMap((number) => expected.get(number) ?? []),
  );
}

/** Later balances build on earlier ones: what is wrong is told once. */
function noteWrong(
  { balances }: Walked,
  blocks: readonly BlockRows[],
  { held }: RunningBalances,
  differences: readonly Difference[],
): void {
  const wrong = new Set(differences.map(({ blockNumber }) => blockNumber));
  for (const block of blocks.filter(({ number }) => wrong.has(number)))
    for (const { token, address } of block.balances) balances.set(token + address, held.get(token + address) ?? 0n);
  for (const pair of balances.keys()) balances.set(pair, held.get(pair) ?? balances.get(pair) ?? 0n);
}
