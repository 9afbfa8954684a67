import { BadUpstreamData } from "../errors.ts";
import { rebuildBalances } from "../evm/balances.ts";
import { pgBytes, type Table } from "../evm/columns.ts";
import { type BlockRows, decodeBlock } from "../evm/decode.ts";
import { appendTraces, traceEntryOf } from "../evm/raw-traces.ts";
import { entryOf, storedBlocks } from "../evm/replay.ts";
import { copyRows, createPartitions, insertFirstSeen, loadHead, TABLES } from "../evm/store.ts";
import { untracedRanges } from "../evm/untraced-ranges.ts";
import type { RawBlock } from "../evm/wire.ts";
import { acceptedEntries, appendEntries, type JournalEntry } from "../journal.ts";
import { type Session, tryBecomeWriter, type Writer } from "../writer.ts";
import { asWriter, type CommandDeps, CommandRefused } from "./command.ts";

/** Blocks that are looked at in one transaction. */
const PAGE = 200;
const REPORT_INTERVAL_MS = 5_000;

/** Something that is missing, or is there and should not be. */
export interface Gap {
  /** Table, or `journal` for the raw block itself. */
  readonly table: Table | "erc20_balances" | "erc20_tokens" | "nft_contracts" | "nft_items" | "journal" | "raw_traces";
  readonly blockNumber: number;
  /** Rows that the raw block gives, and rows that are there. */
  readonly expected: number;
  readonly found: number;
}

/** A page of blocks as the raw store has them, decoded, with what is missing of them. */
interface Looked {
  readonly blocks: readonly BlockRows[];
  readonly gaps: readonly Gap[];
}

/**
 * Compares every block's rows with what the raw store gives, from genesis to the head, and tells each gap. With `repair` it
 * makes the rows of such blocks again, and asks the node for blocks and call trees that the raw store lacks: then no indexer
 * may write the chain meanwhile. Resolves with the gaps as they were found.
 */
export async function findGaps(deps: CommandDeps, repair: boolean): Promise<Gap[]> {
  const { url, rules } = deps;
  if (repair) return asWriter(url, rules.chainId, (writer) => walk(deps, writer, true));
  await using reader = await tryBecomeWriter(url, `${rules.chainId} gaps`);
  if (!reader) throw new CommandRefused(`gaps of chain ${rules.chainId} are being looked for by another process`);
  return await walk(deps, reader, false);
}

async function walk(deps: CommandDeps, writer: Writer, repair: boolean): Promise<Gap[]> {
  const { rules, report } = deps;
  const { chainId } = rules;
  if (repair) await createPartitions(writer, chainId);
  const head = await writer.transaction((session) => loadHead(session, chainId));
  const gaps: Gap[] = [];
  let reportedAt = performance.now();
  let transactionsBefore = 0;
  for (let from = 0; from <= head.blockNumber; from += PAGE) {
    const to = Math.min(head.blockNumber, from + PAGE - 1);
    if (repair) await fetchMissing(deps, writer, from, to);
    const looked = await writer.transaction(async (session) => {
      const seen = await look(session, deps, { from, to, transactionsBefore });
      if (repair) await mend(session, deps, seen);
      return seen;
    });
    gaps.push(...looked.gaps);
    transactionsBefore = looked.blocks.at(-1)?.cumulativeTransactions ?? transactionsBefore;
    if (performance.now() - reportedAt < REPORT_INTERVAL_MS) continue;
    reportedAt = performance.now();
    report(`chain ${chainId}: looked at blocks up to ${to} of ${head.blockNumber}, ${gaps.length} gaps`);
  }
  const untraced = await writer.transaction((session) => untracedRanges(session, chainId));
  for (const range of untraced)
    gaps.push({ table: "raw_traces", blockNumber: range.from, expected: range.to - range.from + 1, found: 0 });
  return gaps;
}

async function look(
  session: Session,
  { rules }: CommandDeps,
  { from, to, transactionsBefore }: { readonly from: number; readonly to: number; readonly transactionsBefore: number },
): Promise<Looked> {
  const { chainId } = rules;
  const entries = await acceptedEntries(session, chainId, from, to);
  const missing = numbersOf(from, to).filter((number) => !entries.some(({ blockNumber }) => blockNumber === number));
  const gaps: Gap[] = missing.map((blockNumber) => ({ table: "journal", blockNumber, expected: 1, found: 0 }));
  const blocks: BlockRows[] = [];
  let before = transactionsBefore;
  for (const raw of await storedBlocks(session, chainId, entries)) {
    const block = decodeBlock(rules, raw, before);
    before = block.cumulativeTransactions;
    blocks.push(block);
  }
  for (const table of TABLES)
    gaps.push(...(await countGaps(session, chainId, table, blocks, (block) => block.rows[table].length)));
  gaps.push(...(await countGaps(session, chainId, "erc20_balances", blocks, ({ balances }) => balances.length)));
  for (const [table, addressesOf] of FIRST_SEEN)
    gaps.push(...(await unseenGaps(session, chainId, table, blocks, addressesOf)));
  return { blocks, gaps };
}

const FIRST_SEEN = [
  ["erc20_tokens", ({ tokens }: BlockRows) => tokens],
  ["nft_contracts", ({ nftContracts }: BlockRows) => nftContracts],
  ["nft_items", ({ nftItems }: BlockRows) => nftItems.map(({ address }) => address)],
] as const;

async function countGaps(
  session: Session,
  chainId: string,
  table: Table | "erc20_balances",
  blocks: readonly BlockRows[],
  expectedOf: (block: BlockRows) => number,
): Promise<Gap[]> {
  const rows = await session.query<{ block_number: string; count: string }>(
    `SELECT block_number, count(*) AS count FROM ${table} WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3
     GROUP BY block_number`,
    [chainId, blocks[0]?.number ?? 0, blocks.at(-1)?.number ?? -1],
  );
  const counts = new Map(rows.map((row) => [Number(row.block_number), Number(row.count)]));
  return blocks.flatMap((block) => {
    const [expected, found] = [expectedOf(block), counts.get(block.number) ?? 0];
    return expected === found ? [] : [{ table, blockNumber: block.number, expected, found }];
  });
}

async function unseenGaps(
  session: Session,
  chainId: string,
  table: "erc20_tokens" | "nft_contracts" | "nft_items",
  blocks: readonly BlockRows[],
  addressesOf: (block: BlockRows) => readonly string[],
): Promise<Gap[]> {
  const rows = await session.query<{ address: string }>(
    `SELECT DISTINCT encode(address, 'hex') AS address FROM ${table} WHERE chain_id = $1 AND address = ANY ($2::bytea[])`,
    [chainId, [...new Set(blocks.flatMap(addressesOf))].map(pgBytes)],
  );
  const seen = new Set(rows.map(({ address }) => address));
  return blocks.flatMap((block) => {
    const addresses = [...new Set(addressesOf(block))];
    const found = addresses.filter((address) => seen.has(address)).length;
    return found === addresses.length ? [] : [{ table, blockNumber: block.number, expected: addresses.length, found }];
  });
}

/** Makes the rows again of every block that has a gap. */
async function mend(session: Session, { rules }: CommandDeps, { blocks, gaps }: Looked): Promise<void> {
  const { chainId } = rules;
  const wrong = new Set(gaps.filter(({ table }) => table !== "journal").map(({ blockNumber }) => blockNumber));
  const broken = blocks.filter(({ number }) => wrong.has(number));
  if (broken.length === 0) return;
  for (const table of TABLES) {
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number = ANY ($2::bigint[])`, [
      chainId,
      broken.map(({ number }) => number),
    ]);
    await copyRows(
      session,
      table,
      broken.flatMap((block) => block.rows[table]),
    );
  }
  await insertFirstSeen(session, chainId, broken);
  await rebuildBalances(session, rules, broken);
}

/** Brings blocks that the raw store has lost, which must be those that the rows still name. */
async function fetchMissing({ rules, source }: CommandDeps, writer: Writer, from: number, to: number): Promise<void> {
  const { chainId } = rules;
  const before = await writer.transaction((session) => acceptedEntries(session, chainId, Math.max(0, from - 1), to));
  const known = new Map(before.map((entry) => [entry.blockNumber, entry]));
  for (const number of numbersOf(from, to).filter((one) => !known.has(one))) {
    const [raw] = (await source.blocks(number, number)) as [RawBlock];
    const previous = known.get(number - 1);
    const seq = number === 0 ? 1 : (previous?.seq ?? Number.NaN) + 1;
    const entry = await checkedEntry(rules.chainId, raw, { number, seq, previous, next: known.get(number + 1) });
    await writer.transaction(async (session) => {
      await appendEntries(session, chainId, [entry]);
      await appendTraces(session, chainId, [await traceEntryOf({ number, hash: entry.blockHash }, raw.traces)]);
    });
    known.set(number, entry);
  }
}

interface Neighbours {
  readonly number: number;
  readonly seq: number;
  readonly previous: JournalEntry | undefined;
  readonly next: JournalEntry | undefined;
}

async function checkedEntry(
  chainId: string,
  raw: RawBlock,
  { number, seq, previous, next }: Neighbours,
): Promise<JournalEntry> {
  const blockHash = raw.block.hash.slice(2);
  const parentHash = raw.block.parentHash.slice(2);
  const isBetween = (!previous || previous.blockHash === parentHash) && (!next || next.parentHash === blockHash);
  if (!isBetween) throw new BadUpstreamData(`the node's block ${number} does not fit between its stored neighbours`);
  if (!Number.isSafeInteger(seq) || (next && next.seq <= seq))
    throw new CommandRefused(
      `block ${number} of chain ${chainId} is missing from the raw store and its place there is not free`,
    );
  return entryOf(raw, { number, hash: blockHash, parentHash }, seq);
}

const numbersOf = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
