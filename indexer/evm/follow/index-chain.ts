import { type FollowedTask, followNode } from "../../follow/follow-node.ts";
import { SYSTEM_CLOCK } from "../../shared/clock.ts";
import { NodeBehind } from "../../shared/node/lagging-node.ts";
import { createSettlements, LogsRefuted } from "../fetch/settlements.ts";
import type { BlockRef } from "../fetch/source.ts";
import { replayRawBlocks } from "../replay/replay.ts";
import { type Head, indexedBlock } from "../store/head.ts";
import { createFirstPartitions } from "../store/partitions-on-demand.ts";
import { catchUp } from "./catch-up.ts";
import { type Chain, type ChainDeps, setHead } from "./chain.ts";
import { identifyNode, storeTracing } from "./identify.ts";
import { reorganise } from "./reorganise.ts";

const REPLAY_REASON = "an update or a new configuration changed the rules: the rows are rebuilt from the raw blocks";
/**
 * Keeps a chain's rows equal to its node's blocks until `signal` aborts: first computes the missing rows of the blocks in the
 * raw blocks, then fetches and writes blocks, follows the head, and rolls back where the node reorganised. While the node is
 * unavailable or its data is inconsistent, the chain waits or stops, with the reason in its progress, and retries. Rejects only if
 * the database fails.
 */
export async function indexChain(deps: ChainDeps): Promise<void> {
  const { signal, clock = SYSTEM_CLOCK } = deps;
  try {
    const chain = await openChain(deps);
    await followNode(taskOf(chain), { pauseMs: deps.indexing.pollIntervalMs, signal, clock });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Computes the missing rows of the stored blocks. */
export async function openChain(deps: ChainDeps): Promise<Chain> {
  const { writer, rules, progress, signal } = deps;
  const { chainId } = rules;
  await createFirstPartitions(writer, chainId);
  const onCleared = () => progress.update({ blockNumber: -1, reason: REPLAY_REASON });
  const onHead = ({ blockNumber }: Head) => progress.update({ blockNumber });
  const head = await replayRawBlocks({ writer, rules, signal, onCleared, onHead });
  progress.update({ blockNumber: head.blockNumber, fetchedBlockNumber: head.blockNumber });
  const settlements = createSettlements({ ...deps, chainId });
  return { ...deps, chainId, settlements, head, storedTracing: null, lastRefutingBlock: -1 };
}

const taskOf = (chain: Chain): FollowedTask => ({
  position: () => chain.head,
  identify: () => identifyNode(chain),
  async step() {
    const isAtHead = await step(chain);
    if (isAtHead) {
      chain.maintenance?.atHead();
      chain.proof?.atHead();
    }
    return isAtHead;
  },
  // Settled blocks are final.
  isFinal: (error) => error instanceof LogsRefuted,
  async report(state) {
    // The chain may wait because the node does not provide call trees.
    await storeTracing(chain);
    chain.progress.update(state);
  },
});

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
