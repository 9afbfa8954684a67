import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { SYSTEM_CLOCK } from "../../shared/clock.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { createLagPatience, NodeBehind } from "../../shared/node/lagging-node.ts";
import { createSettlements, LogsRefuted } from "../fetch/settlements.ts";
import type { BlockRef } from "../fetch/source.ts";
import { replayJournal } from "../replay/replay.ts";
import { type Head, indexedBlock } from "../store/head.ts";
import { createPartitions } from "../store/tables.ts";
import { catchUp } from "./catch-up.ts";
import { type Chain, type ChainDeps, setHead } from "./chain.ts";
import { identifyNode, storeTracing } from "./identify.ts";
import { reorganise } from "./reorganise.ts";

const REPLAY_REASON =
  "an update or a new configuration changed the rules: the rows are rebuilt from the raw block store";
/** First pause after a failure; `pollIntervalMs` if that is shorter. */
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 10_000;

/**
 * Keeps a chain's rows equal to its node's blocks until `signal` aborts: first computes the missing rows of the blocks in the
 * raw block store, then fetches and writes blocks, follows the head, and rolls back where the node reorganised. While the node is
 * unavailable or its data is inconsistent, the chain waits or stops, with the reason in its progress, and retries. Rejects only if
 * the database fails.
 */
export async function indexChain(deps: ChainDeps): Promise<void> {
  const { writer, rules, progress, signal } = deps;
  const { chainId } = rules;
  try {
    await createPartitions(writer, chainId);
    const onCleared = () => progress.update({ blockNumber: -1, reason: REPLAY_REASON });
    const onHead = ({ blockNumber }: Head) => progress.update({ blockNumber });
    const head = await replayJournal({ writer, rules, signal, onCleared, onHead });
    progress.update({ blockNumber: head.blockNumber, fetchedBlockNumber: head.blockNumber });
    const settlements = createSettlements({ ...deps, chainId });
    await followNode({ ...deps, chainId, settlements, head, storedTracing: null, lastRefutingBlock: -1 });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function followNode(chain: Chain): Promise<void> {
  const { signal, indexing, clock = SYSTEM_CLOCK } = chain;
  const patience = createLagPatience();
  let isIdentified = false;
  let failures = 0;
  let lastHead = chain.head;
  let failedAt = chain.head;
  while (!signal.aborted) {
    try {
      if (!isIdentified) await identifyNode(chain);
      isIdentified = true;
      const isAtHead = await step(chain);
      failures = 0;
      patience.worked();
      if (isAtHead) {
        chain.maintenance?.atHead();
        await clock.sleep(indexing.pollIntervalMs, signal);
      }
    } catch (error) {
      if (!(error instanceof NodeUnavailable || error instanceof BadUpstreamData)) throw error;
      if (chain.head !== lastHead) patience.worked();
      lastHead = chain.head;
      if (patience.covers(error)) {
        await clock.sleep(indexing.pollIntervalMs, signal);
        continue;
      }
      isIdentified = false;
      failures = chain.head === failedAt ? failures + 1 : 1;
      failedAt = chain.head;
      await backOff(chain, error, failures);
    }
  }
}

async function backOff(chain: Chain, error: NodeUnavailable | BadUpstreamData, failures: number): Promise<void> {
  const { progress, indexing, signal, clock = SYSTEM_CLOCK } = chain;
  // The chain may wait because the node does not provide call trees.
  await storeTracing(chain);
  const isBad = error instanceof BadUpstreamData;
  // A reorganisation between two answers looks like inconsistent data, so the chain stops only at the second failure.
  // `LogsRefuted` stops it at the first: settled blocks are final.
  if (isBad && failures === 1 && !(error instanceof LogsRefuted)) return;
  progress.update({ state: isBad ? "STOPPED" : "WAITING", reason: error.message, detail: error.detail });
  const firstMs = Math.min(FIRST_BACKOFF_MS, indexing.pollIntervalMs);
  const backoffMs = Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
  await clock.sleep(isBad ? backoffMs : Math.max(backoffMs, error.retryAfterMs), signal);
}

/** Compares the rows with the node's head, and catches up or rolls back. False if the next step must follow at once. */
async function step(chain: Chain): Promise<boolean> {
  // Taken before the request: a block that the node accepts meanwhile is not in its answer.
  const headSeenAt = Math.floor(Date.now() / 1_000);
  await chain.checkPlace?.();
  const nodeHead = await chain.source.head();
  const { number } = nodeHead;
  const { blockNumber } = chain.head;
  // A lower head may be that of one of several nodes behind the address. If all of them are behind, the chain waits.
  if (number >= blockNumber || chain.progress.current.state === "WAITING")
    chain.progress.update({ nodeBlockNumber: number });
  if (number > blockNumber) {
    if (!(await catchUp(chain, number))) return false;
  } else if (!(await isIndexed(chain, nodeHead))) {
    const contradiction = `the node returned two different blocks ${number}: one as its head, the other by its number`;
    setHead(chain, await reorganise(chain, number, contradiction));
    return false;
  } else if (number < blockNumber)
    throw new NodeBehind(`the node is behind: its head is block ${number}, but block ${blockNumber} is indexed`);
  chain.progress.update({ state: "FOLLOWING", reason: null, headSeenAt });
  return true;
}

async function isIndexed({ writer, chainId, head }: Chain, ref: BlockRef): Promise<boolean> {
  if (ref.number === head.blockNumber) return ref.hash === head.blockHash;
  const indexed = await writer.transaction((session) => indexedBlock(session, chainId, ref.number));
  return indexed?.hash === ref.hash;
}
