import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Config } from "../../../core/config-schema.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import type { Logger } from "../../../core/logger.ts";
import { mapYielding } from "../../../core/yield-to-event-loop.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Progress } from "../../shared/progress.ts";
import type { Writer } from "../../shared/writer.ts";
import type { BlockRows } from "../decode/block.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import { createSettlements, LogsRefuted, type Settlements } from "../fetch/settlements.ts";
import type { BlockRef, EvmSource, Tracing } from "../fetch/source.ts";
import { appendEntries } from "../raw-store/journal.ts";
import { appendTraces, traceEntryOf } from "../raw-store/raw-traces.ts";
import { decodeBlocks, entryOf, replayJournal } from "../replay/replay.ts";
import { storeCapability } from "../store/capabilities.ts";
import { createPartitions, type Head, indexedBlock, insertBlocks } from "../store/tables.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { reorganise, takeBackTo } from "./reorganise.ts";

/** This close to the head each block has a transaction of its own. */
const NEAR_HEAD = 16;
const REMADE = "other rules hold since an update or a change of the configuration: the chain's rows are made again";
const FIRST_BATCH = 20;
/** Or the pause between two looks at the head, where that is shorter. */
const FIRST_BACKOFF_MS = 250;
const LAST_BACKOFF_MS = 10_000;
/** A batch is meant to take about this long to write. */
const BATCH_TARGET_MS = 500;

export interface ChainDeps {
  readonly rules: ChainRules;
  readonly writer: Writer;
  readonly source: EvmSource;
  readonly progress: Progress;
  readonly logger: Logger;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly signal: AbortSignal;
}

interface Chain extends ChainDeps {
  readonly chainId: string;
  readonly settlements: Settlements;
  head: Head;
  /** As the database has it. */
  tracing: Tracing | null;
}

/**
 * Keeps a chain's rows equal to what its node says, until `signal`: replays what is in the journal already, then fetches,
 * stores and replays, follows the head, and rolls back where the node reorganised. A node that is down, behind or wrong
 * makes the chain wait or stop, with the reason in the progress, until it is well again. Rejects only when the database fails.
 */
export async function indexChain(deps: ChainDeps): Promise<void> {
  const { writer, rules, progress, signal } = deps;
  const { chainId } = rules;
  try {
    await createPartitions(writer, chainId);
    const onCleared = () => progress.update({ blockNumber: -1, reason: REMADE });
    const onHead = ({ blockNumber }: Head) => progress.update({ blockNumber });
    const head = await replayJournal({ writer, rules, signal, onCleared, onHead });
    progress.update({ blockNumber: head.blockNumber, fetchedBlockNumber: head.blockNumber });
    const settlements = createSettlements({ ...deps, chainId });
    await keepUp({ ...deps, chainId, settlements, head, tracing: null });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function keepUp(chain: Chain): Promise<void> {
  const { signal, indexing } = chain;
  let isIdentified = false;
  let failures = 0;
  let failedAt = chain.head;
  while (!signal.aborted) {
    try {
      if (!isIdentified) await identify(chain);
      isIdentified = true;
      const isAtHead = await step(chain);
      failures = 0;
      if (isAtHead) await sleep(indexing.pollIntervalMs, undefined, { signal });
    } catch (error) {
      if (!(error instanceof NodeUnavailable || error instanceof BadUpstreamData)) throw error;
      isIdentified = false;
      failures = chain.head === failedAt ? failures + 1 : 1;
      failedAt = chain.head;
      await rest(chain, error, failures);
    }
  }
}

async function rest(chain: Chain, error: NodeUnavailable | BadUpstreamData, failures: number) {
  const { progress, indexing, signal } = chain;
  // That the node refuses call trees may be why it waits.
  await noteTracing(chain);
  const isBad = error instanceof BadUpstreamData;
  // A reorganisation between two answers looks like a lie: only one that is told twice is one. Settled blocks have none.
  if (isBad && failures === 1 && !(error instanceof LogsRefuted)) return;
  const detail = isBad ? null : error.detail;
  progress.update({ state: isBad ? "STOPPED" : "WAITING", reason: error.message, detail });
  const firstMs = Math.min(FIRST_BACKOFF_MS, indexing.pollIntervalMs);
  const backoffMs = Math.min(LAST_BACKOFF_MS, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
  await sleep(isBad ? backoffMs : Math.max(backoffMs, error.retryAfterMs), undefined, { signal });
}

/** Refuses a node of another chain before anything is asked of it. */
async function identify(chain: Chain): Promise<void> {
  const { source, chainId, head, writer } = chain;
  const served = await source.chainId();
  if (String(served) !== chainId) throw new BadUpstreamData(`the node serves chain ${served}, not ${chainId}`);
  await source.identify();
  await noteTracing(chain);
  if (head.blockNumber < 0) return;
  const genesis = await writer.transaction((session) => indexedBlock(session, chainId, 0));
  const theirs = await source.blockRef(0);
  if (genesis && theirs && genesis.hash !== theirs.hash)
    throw new BadUpstreamData(
      `the node's genesis is 0x${theirs.hash}, but what is indexed began with 0x${genesis.hash}`,
    );
}

/** Callers of the API are told whether there are call trees, and the log why there are none. */
async function noteTracing(chain: Chain): Promise<void> {
  const { source, writer, chainId, logger } = chain;
  const { tracing } = source;
  if (chain.tracing?.isOn === tracing.isOn && chain.tracing.reason === tracing.reason) return;
  await writer.transaction((session) => storeCapability(session, chainId, "traces", tracing));
  chain.tracing = tracing;
  if (tracing.reason) logger.warn({ chainId, reason: tracing.reason }, "blocks are without their call trees");
}

/** One look at the node's head, and whatever follows from it. False when there is more to do at once. */
async function step(chain: Chain): Promise<boolean> {
  // Before the question: a block that the node accepts meanwhile is not in its answer.
  const headSeenAt = Math.floor(Date.now() / 1_000);
  const theirs = await chain.source.head();
  const { number } = theirs;
  chain.progress.update({ nodeBlockNumber: number });
  const { blockNumber } = chain.head;
  if (number > blockNumber) {
    if (!(await catchUp(chain, number))) return false;
  } else if (!(await agrees(chain, theirs))) {
    await takeBack(chain, number, `the node's head is block ${number}, but asked for it the node answers another`);
    return false;
  } else if (number < blockNumber)
    throw new NodeUnavailable(`the node lags: its head is block ${number}, block ${blockNumber} is indexed`);
  chain.progress.update({ state: "FOLLOWING", reason: null, headSeenAt });
  return true;
}

async function agrees({ writer, chainId, head }: Chain, theirs: BlockRef): Promise<boolean> {
  if (theirs.number === head.blockNumber) return theirs.hash === head.blockHash;
  const ours = await writer.transaction((session) => indexedBlock(session, chainId, theirs.number));
  return ours?.hash === theirs.hash;
}

/** Fetches and writes up to `to`; while one batch is written the next is fetched. False when the node reorganised. */
async function catchUp(chain: Chain, to: number): Promise<boolean> {
  let size = Math.min(FIRST_BATCH, chain.indexing.batchBlocks);
  const fetchFrom = (from: number) => {
    const batch = from <= to ? chain.source.blocks(from, Math.min(to, from + size - 1)) : null;
    // Awaited one batch later; an error until then is not unhandled.
    batch?.catch(() => {});
    return batch;
  };
  let fetching = fetchFrom(chain.head.blockNumber + 1);
  while (fetching) {
    const raws = await fetching;
    if (!continues(chain.head, raws)) {
      const own = chain.head.blockNumber;
      await takeBack(
        chain,
        own,
        `block ${own + 1} of the node does not name the node's own block ${own} as its parent`,
      );
      return false;
    }
    verifyLinks(raws);
    await verifySettled(chain, raws);
    fetching = fetchFrom(chain.head.blockNumber + raws.length + 1);
    const startedAt = performance.now();
    await accept(chain, raws, to);
    size = nextSize(size, performance.now() - startedAt, chain.indexing.batchBlocks);
  }
  return true;
}

function continues({ blockNumber, blockHash }: Head, [first]: readonly RawBlock[]): boolean {
  return blockNumber < 0 || first?.block.parentHash === `0x${blockHash}`;
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

/** Blocks are taken in before others settle them: what these refute is taken back first. */
async function verifySettled(chain: Chain, raws: readonly RawBlock[]): Promise<void> {
  try {
    await chain.settlements.verify(raws);
  } catch (error) {
    if (error instanceof LogsRefuted && error.settled < chain.head.blockNumber)
      await takeBackBehind(chain, error.settled);
    throw error;
  }
}

/** Writes the batch, near the head block by block, far behind it in one go. */
async function accept(chain: Chain, raws: readonly RawBlock[], nodeHead: number): Promise<void> {
  const relaxed = nodeHead - chain.head.blockNumber > NEAR_HEAD;
  for (const group of relaxed ? [raws] : raws.map((raw) => [raw])) {
    showHead(chain, await write(chain, group, relaxed));
  }
  if (relaxed) chain.progress.update({ state: "BACKFILLING", reason: null });
}

/**
 * Writes journal and rows in one transaction: what the rows cannot hold must not get into the journal either, where it
 * would stand in the way of all that follows. Throws `BadUpstreamData` for such blocks.
 */
async function write(chain: Chain, raws: readonly RawBlock[], relaxed: boolean): Promise<Head> {
  const { writer, rules, chainId, head } = chain;
  const blocks = await decodeBlocks(rules, head, raws);
  const entries = await mapYielding(raws, (raw, i) => entryOf(raw, blocks[i] as BlockRows, head.journalSeq + 1 + i));
  const traces = await mapYielding(raws, (raw, i) => traceEntryOf(blocks[i] as BlockRows, raw.traces));
  await noteTracing(chain);
  try {
    return await writer.transaction(
      async (session) => {
        await appendEntries(session, chainId, entries);
        await appendTraces(session, chainId, traces);
        return insertBlocks(session, rules, blocks, head.journalSeq + raws.length);
      },
      { relaxed },
    );
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    const [from, to] = [blocks[0]?.number, blocks.at(-1)?.number];
    throw new BadUpstreamData(`block ${from === to ? from : `${from} to ${to}`} cannot be stored: ${error.message}`);
  }
}

/** A value out of range, or a row that is there already under another block: the node's doing (classes 22 and 23). */
function isRefusedValue(error: unknown): error is pg.DatabaseError {
  return (
    error instanceof pg.DatabaseError &&
    /^2[23]/.test(error.code ?? "") &&
    !/^(journal|raw_traces)/.test(error.table ?? "")
  );
}

async function takeBack(chain: Chain, from: number, contradiction: string): Promise<void> {
  showHead(chain, await reorganise(chain, from, contradiction));
}

async function takeBackBehind(chain: Chain, number: number): Promise<void> {
  const { writer, chainId } = chain;
  const block = await writer.transaction((session) => indexedBlock(session, chainId, number));
  if (block) showHead(chain, await takeBackTo(chain, { number, ...block }));
}

function showHead(chain: Chain, head: Head): void {
  chain.head = head;
  chain.progress.update({ blockNumber: head.blockNumber, fetchedBlockNumber: head.blockNumber });
}
