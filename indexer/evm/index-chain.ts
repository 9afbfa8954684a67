import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../core/config-schema.ts";
import { BadUpstreamData, NodeUnavailable } from "../errors.ts";
import { appendEntries, entriesAfter, type JournalEntry, lastEntry } from "../journal.ts";
import { createPayloadCodec } from "../payload.ts";
import type { Progress } from "../progress.ts";
import type { Writer } from "../writer.ts";
import { type BlockRows, decodeBlock } from "./decode.ts";
import { EVM_DICTIONARY } from "./dictionary.ts";
import type { BlockRef, EvmSource } from "./source.ts";
import { createPartitions, type Head, indexedBlock, insertBlocks, loadHead, rollBack } from "./store.ts";
import type { RawBlock } from "./wire.ts";

/** This close to the head each block has a transaction of its own. */
const NEAR_HEAD = 16;
const FIRST_BATCH = 20;
const FIRST_BACKOFF_MS = 250;
const LAST_BACKOFF_MS = 10_000;
/** A batch is meant to take about this long to write. */
const BATCH_TARGET_MS = 500;

export const evmPayloads = createPayloadCodec(EVM_DICTIONARY);

export interface ChainDeps {
  readonly chainId: string;
  readonly writer: Writer;
  readonly source: EvmSource;
  readonly progress: Progress;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly signal: AbortSignal;
}

/**
 * Keeps a chain's rows equal to what its node says, until `signal`: replays what is in the journal already, then fetches,
 * stores and replays, follows the head, and rolls back where the node reorganised. A node that is down, behind or wrong
 * makes the chain wait or stop, with the reason in the progress, until it is well again. Rejects only when the database fails.
 */
export async function indexChain(deps: ChainDeps): Promise<void> {
  const { writer, chainId, progress, signal } = deps;
  await writer.transaction((session) => createPartitions(session, chainId));
  const chain = { ...deps, head: await replayJournal(deps) };
  progress.update({ blockNumber: chain.head.blockNumber, fetchedBlockNumber: chain.head.blockNumber });
  let backoffMs = FIRST_BACKOFF_MS;
  let identified = false;
  while (!signal.aborted) {
    try {
      if (!identified) await identify(chain);
      identified = true;
      await step(chain);
      backoffMs = FIRST_BACKOFF_MS;
      await sleep(deps.indexing.pollIntervalMs, undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NodeUnavailable || error instanceof BadUpstreamData)) throw error;
      identified = false;
      progress.update({ state: error instanceof NodeUnavailable ? "WAITING" : "STOPPED", reason: error.message });
      await sleep(backoffMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
      backoffMs = Math.min(LAST_BACKOFF_MS, backoffMs * 2);
    }
  }
}

interface Chain extends ChainDeps {
  head: Head;
}

/** Brings the rows up to the end of the journal, without the node. */
export async function replayJournal({ writer, chainId }: Pick<ChainDeps, "writer" | "chainId">): Promise<Head> {
  let head = await writer.transaction((session) => loadHead(session, chainId));
  for (;;) {
    const entries = await writer.transaction((session) => entriesAfter(session, chainId, head.journalSeq, 100));
    if (entries.length === 0) return head;
    for (const run of runs(entries)) head = await replay(writer, chainId, head, run);
  }
}

/** Splits entries into rollbacks, each alone, and blocks that follow each other. */
function runs(entries: readonly JournalEntry[]): JournalEntry[][] {
  const groups: JournalEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.[0]?.payload && entry.payload) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

async function replay(writer: Writer, chainId: string, head: Head, run: readonly JournalEntry[]): Promise<Head> {
  const [first] = run as [JournalEntry];
  if (!first.payload) {
    return writer.transaction(async (session) => {
      await rollBack(session, chainId, first);
      return loadHead(session, chainId);
    });
  }
  const raws = (await Promise.all(run.map((entry) => evmPayloads.decode(entry.payload as Buffer)))) as RawBlock[];
  return writeRows(writer, chainId, head, raws, run.at(-1)?.seq ?? 0, true);
}

async function writeRows(
  writer: Writer,
  chainId: string,
  head: Head,
  raws: readonly RawBlock[],
  seq: number,
  relaxed: boolean,
): Promise<Head> {
  const blocks: BlockRows[] = [];
  let { cumulativeTransactions } = head;
  for (const raw of raws) {
    const rows = decodeBlock(chainId, raw, cumulativeTransactions);
    cumulativeTransactions = rows.cumulativeTransactions;
    blocks.push(rows);
  }
  await writer.transaction((session) => insertBlocks(session, chainId, blocks, seq), { relaxed });
  const last = blocks.at(-1);
  return last ? { journalSeq: seq, blockNumber: last.number, blockHash: last.hash, cumulativeTransactions } : head;
}

/** Refuses a node of another chain before anything is asked of it. */
async function identify({ source, chainId, head, writer }: Chain): Promise<void> {
  const served = await source.chainId();
  if (String(served) !== chainId) throw new BadUpstreamData(`the node serves chain ${served}, not ${chainId}`);
  if (head.blockNumber < 0) return;
  const genesis = await writer.transaction((session) => indexedBlock(session, chainId, 0));
  const theirs = await source.blockRef(0);
  if (genesis && theirs && genesis.hash !== theirs.hash)
    throw new BadUpstreamData(
      `the node's genesis is 0x${theirs.hash}, but what is indexed began with 0x${genesis.hash}`,
    );
}

/** One look at the node's head, and whatever follows from it. */
async function step(chain: Chain): Promise<void> {
  const { source, progress } = chain;
  const theirs = await source.head();
  progress.update({ nodeBlockNumber: theirs.number });
  const { blockNumber } = chain.head;
  if (theirs.number > blockNumber) await catchUp(chain, theirs.number);
  else if (!(await agrees(chain, theirs))) await reorganise(chain, theirs.number);
  else if (theirs.number < blockNumber)
    throw new NodeUnavailable(`the node lags: its head is block ${theirs.number}, block ${blockNumber} is indexed`);
  progress.update({ state: "FOLLOWING", reason: null });
}

async function agrees({ writer, chainId, head }: Chain, theirs: BlockRef): Promise<boolean> {
  if (theirs.number === head.blockNumber) return theirs.hash === head.blockHash;
  const ours = await writer.transaction((session) => indexedBlock(session, chainId, theirs.number));
  return ours?.hash === theirs.hash;
}

/** Fetches and writes up to `to`; while one batch is written the next is fetched. */
async function catchUp(chain: Chain, to: number): Promise<void> {
  let size = to - chain.head.blockNumber > NEAR_HEAD ? FIRST_BATCH : NEAR_HEAD;
  const fetchFrom = (from: number) => {
    const batch = from <= to ? chain.source.blocks(from, Math.min(to, from + size - 1)) : null;
    // Awaited one batch later; an error until then is not unhandled.
    batch?.catch(() => {});
    return batch;
  };
  if (to - chain.head.blockNumber > NEAR_HEAD) chain.progress.update({ state: "BACKFILLING", reason: null });
  let fetching = fetchFrom(chain.head.blockNumber + 1);
  while (fetching && !chain.signal.aborted) {
    const raws = await fetching;
    const first = raws[0]?.block;
    if (first && chain.head.blockNumber >= 0 && first.parentHash.slice(2) !== chain.head.blockHash)
      return reorganise(chain, chain.head.blockNumber);
    verifyLinks(raws);
    fetching = fetchFrom(chain.head.blockNumber + raws.length + 1);
    const startedAt = performance.now();
    await accept(chain, raws, to);
    size = nextSize(size, performance.now() - startedAt, chain.indexing.batchBlocks);
  }
}

function nextSize(size: number, tookMs: number, max: number): number {
  const factor = Math.min(2, Math.max(0.5, BATCH_TARGET_MS / Math.max(1, tookMs)));
  return Math.min(max, Math.max(1, Math.round(size * factor)));
}

function verifyLinks(raws: readonly RawBlock[]): void {
  raws.slice(1).forEach(({ block }, i) => {
    const parent = (raws[i] as RawBlock).block;
    if (block.parentHash !== parent.hash)
      throw new BadUpstreamData(
        `block ${Number(block.number)} names parent ${block.parentHash}, but the node's block ${Number(parent.number)} is ${parent.hash}`,
      );
  });
}

/** Stores the batch in the journal, then writes its rows: near the head block by block, far behind it in one go. */
async function accept(chain: Chain, raws: readonly RawBlock[], nodeHead: number): Promise<void> {
  const { writer, chainId, progress } = chain;
  const relaxed = nodeHead - chain.head.blockNumber > NEAR_HEAD;
  const firstSeq = chain.head.journalSeq + 1;
  const entries = await Promise.all(raws.map((raw, i) => entryOf(raw, firstSeq + i)));
  await writer.transaction((session) => appendEntries(session, chainId, entries), { relaxed });
  progress.update({ fetchedBlockNumber: entries.at(-1)?.blockNumber ?? null });
  const groups = relaxed ? [raws] : raws.map((raw) => [raw]);
  for (const group of groups) {
    chain.head = await writeRows(writer, chainId, chain.head, group, chain.head.journalSeq + group.length, relaxed);
    progress.update({ blockNumber: chain.head.blockNumber });
  }
}

async function entryOf(raw: RawBlock, seq: number): Promise<JournalEntry> {
  const { number, hash, parentHash } = raw.block;
  return {
    seq,
    blockNumber: Number(number),
    blockHash: hash.slice(2),
    parentHash: parentHash.slice(2),
    payload: await evmPayloads.encode(raw),
  };
}

/** Rolls back to the last block that the node has too; what it has above that is fetched by the next step. */
async function reorganise(chain: Chain, from: number): Promise<void> {
  const { writer, chainId, progress } = chain;
  const ancestor = await findAncestor(chain, from);
  if (ancestor.number === chain.head.blockNumber)
    throw new BadUpstreamData(
      `block ${ancestor.number + 1} of the node does not name the node's own block ${ancestor.number} as its parent`,
    );
  progress.update({ reason: null, state: "BACKFILLING", fetchedBlockNumber: ancestor.number });
  chain.head = await writer.transaction(async (session) => {
    const last = await lastEntry(session, chainId);
    const entry = {
      seq: (last?.seq ?? 0) + 1,
      blockNumber: ancestor.number,
      blockHash: ancestor.hash,
      parentHash: ancestor.parentHash,
      payload: null,
    };
    await appendEntries(session, chainId, [entry]);
    await rollBack(session, chainId, entry);
    return loadHead(session, chainId);
  });
  progress.update({ blockNumber: chain.head.blockNumber });
}

/** Gallops down until node and rows agree, then bisects: where two chains agree they agree on everything below. */
async function findAncestor(chain: Chain, from: number): Promise<BlockRef> {
  let disagree = from + 1;
  let agree: BlockRef | null = null;
  for (let stride = 1; !agree; stride *= 2) {
    const number = Math.max(0, disagree - stride);
    agree = await common(chain, number);
    if (agree) break;
    if (number === 0)
      throw new BadUpstreamData("the node shares no block with what is indexed: it serves another chain");
    disagree = number;
  }
  while (disagree - agree.number > 1) {
    const middle = Math.floor((agree.number + disagree) / 2);
    const ref = await common(chain, middle);
    if (ref) agree = ref;
    else disagree = middle;
  }
  return agree;
}

async function common({ writer, chainId, source }: Chain, number: number): Promise<BlockRef | null> {
  const ours = await writer.transaction((session) => indexedBlock(session, chainId, number));
  const theirs = await source.blockRef(number);
  return ours && theirs && ours.hash === theirs.hash ? theirs : null;
}
