import type { Config, PrimaryNetworkConfig } from "../../../core/config-schema.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Progress } from "../../shared/progress.ts";
import type { Writer } from "../../shared/writer.ts";
import { followLinks, type Link } from "../decode/links.ts";
import type { ContainerIndex, IndexedContainer } from "../fetch/container-index.ts";
import type { PrimarySource } from "../fetch/source.ts";
import { identifyChain, type Way } from "../identify/identify-chain.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { JournalChain, JournalEntry } from "../raw-store/journal.ts";
import type { PrimaryReplay } from "../replay/replay.ts";
import type { PrimaryHead } from "../replay/store/store.ts";
import { keepFollowing, nextSize, storing } from "./loop.ts";
import { catchUpVertices } from "./vertices.ts";

export interface JournalDeps {
  readonly chain: JournalChain;
  readonly network: NetworkFacts;
  readonly settings: Pick<PrimaryNetworkConfig, "index" | "vertexTimesFile">;
  readonly source: PrimarySource;
  readonly writer: Writer;
  readonly replay: PrimaryReplay;
  readonly progress: Progress;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly signal: AbortSignal;
  /** Looks at what else must be as it was of a node that was found to be the right one. */
  readonly alsoIdentify?: () => Promise<void>;
  /** Told how the node gives its blocks. */
  readonly note: (what: string) => void;
}

/** This close to the head each block has a transaction of its own. */
const NEAR_HEAD = 16;
const FIRST_BATCH = 20;

/** A block or vertex as the node gave it; of one that came by its height neither id nor time are told. */
export type Fetched = IndexedContainer | { readonly id: null; readonly bytes: Uint8Array; readonly acceptedAt: null };

/** Keeps the P- or the X-Chain equal to what the node says, until `signal`. Rejects only when the database fails. */
export async function followJournal(deps: JournalDeps): Promise<void> {
  const { chain, replay, progress, indexing, signal } = deps;
  let way: Way | null = null;
  await keepFollowing(
    {
      position: () => replay.heads[chain].journalSeq,
      async identify() {
        way = await identifyChain(deps);
        await deps.alsoIdentify?.();
      },
      step: () => step(deps, way as Way),
      report: (state, reason, detail) => progress.update({ state, reason, detail }),
    },
    indexing.pollIntervalMs,
    signal,
  );
}

async function step(deps: JournalDeps, way: Way): Promise<void> {
  const { chain, source, replay, progress } = deps;
  if (way.dag && replay.heads[chain].blockNumber < 0) await catchUpVertices(deps, way.dag);
  // Before the question: a block that the node accepts meanwhile is not in its answer.
  const headSeenAt = Math.floor(Date.now() / 1_000);
  const height = await source.height(chain);
  progress.update({ nodeBlockNumber: height });
  const { blockNumber } = replay.heads[chain];
  if (height > blockNumber) await catchUp(deps, way, height);
  else if (height < blockNumber)
    throw new NodeUnavailable(`the node lags: its head is block ${height}, block ${blockNumber} is indexed`);
  progress.update({ state: "FOLLOWING", reason: null, headSeenAt });
}

/** Fetches and writes up to `to`; while one batch is written the next is fetched. */
async function catchUp(deps: JournalDeps, { containers, firstParentId }: Way, to: number): Promise<void> {
  const { chain, replay, indexing, signal } = deps;
  let size = Math.min(FIRST_BATCH, indexing.batchBlocks);
  let link = endOf(replay.heads[chain], firstParentId);
  const fetchNext = () => {
    if (link.height >= to) return null;
    const batch = fetchBlocks(deps, containers, link.height + 1, Math.min(to, link.height + size));
    // Awaited one batch later; an error until then is not unhandled.
    batch.catch(() => {});
    return batch;
  };
  for (let fetching = fetchNext(); fetching; ) {
    const blocks = await fetching;
    signal.throwIfAborted();
    link = await followLinks(chain, link, blocks);
    fetching = fetchNext();
    const startedAt = performance.now();
    await accept(deps, blocks, to);
    size = nextSize(size, performance.now() - startedAt, indexing.batchBlocks);
  }
}

function endOf({ blockNumber: height, blockHash: blockId, containerId }: PrimaryHead, firstParentId: string): Link {
  return height < 0 ? { height, blockId: firstParentId, containerId: firstParentId } : { height, blockId, containerId };
}

/** Block 0 is in no index. */
async function fetchBlocks(
  { chain, source }: JournalDeps,
  containers: ContainerIndex | null,
  from: number,
  to: number,
): Promise<readonly Fetched[]> {
  if (!containers || from === 0) {
    const blocks = await source.blocks(chain, from, containers ? 0 : to);
    return blocks.map((bytes) => ({ id: null, bytes, acceptedAt: null }));
  }
  const blocks = await containers.from(from - 1, to - from + 1);
  if (blocks.length > 0) return blocks;
  throw new NodeUnavailable(`the node's index of the ${chain}-Chain ends before block ${from}, which the node has`);
}

/** Writes the batch, near the head block by block, far behind it in one go. */
async function accept({ chain, replay, progress }: JournalDeps, blocks: readonly Fetched[], to: number) {
  const { journalSeq, blockNumber } = replay.heads[chain];
  const entries = entriesOf(blocks, journalSeq + 1, false);
  const relaxed = to - blockNumber > NEAR_HEAD;
  for (const group of relaxed ? [entries] : entries.map((entry) => [entry])) {
    await storing(`blocks of the ${chain}-Chain after block ${replay.heads[chain].blockNumber}`, () =>
      replay.accept(chain, group, { relaxed }),
    );
    const reached = replay.heads[chain].blockNumber;
    progress.update({ blockNumber: reached, fetchedBlockNumber: reached });
  }
  if (relaxed) progress.update({ state: "BACKFILLING", reason: null });
}

/** Entries of the journal from `seq` on. */
export function entriesOf(fetched: readonly Fetched[], seq: number, isVertex: boolean): JournalEntry[] {
  return fetched.map(({ bytes, acceptedAt }, i) => ({ seq: seq + i, isVertex, payload: bytes, acceptedAt }));
}
