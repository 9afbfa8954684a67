import { formatId } from "../../../core/formats/id-text.ts";
import { createBatchSize } from "../../follow/batch-size.ts";
import { followNode } from "../../follow/follow-node.ts";
import { storeBlocks } from "../../follow/store-in-order.ts";
import { decodeNamed, type GoodPrefix, mapGoodPrefix } from "../../shared/good-prefix.ts";
import { handledLater } from "../../shared/handled-later.ts";
import { NodeBehind } from "../../shared/node/lagging-node.ts";
import { type DecodedBlock, decodeBlock } from "../decode/entries.ts";
import { type ChainTip, nextTip } from "../decode/links.ts";
import type { ContainerIndex } from "../fetch/container-index.ts";
import { type ChainAccess, identifyChain } from "../identify/identify-chain.ts";
import type { RawBlockChain } from "../network/chains.ts";
import type { PrimaryHead } from "../replay/store/heads.ts";
import type { FollowDeps } from "./deps.ts";
import { catchUpVertices } from "./vertices.ts";

/** A block from the node. If it was read by height, its id and its time of acceptance are not known. */
interface FetchedBlock {
  readonly bytes: Uint8Array;
  readonly id: string | null;
  readonly acceptedAt: number | null;
}

/** Indexes the P- or X-Chain until `signal` aborts. Rejects if the database fails, and with `RulesChanged` from `alsoIdentify`. */
export async function followBlocks(deps: FollowDeps): Promise<void> {
  const { chain, network, source, settings, note, replay, progress, indexing, signal } = deps;
  let access: ChainAccess | null = null;
  const identify = async () => {
    const { index } = settings;
    access = await identifyChain({ chain, network, source, index, indexed: replay.heads[chain], note });
    await deps.alsoIdentify?.();
  };
  await followNode(
    {
      position: () => replay.heads[chain].rawSeq,
      identify,
      async step() {
        const isWithoutIndex = access?.containers === null && settings.index !== "off";
        if (isWithoutIndex && source.mayOfferIndex(chain)) await identify();
        return step(deps, access as ChainAccess);
      },
      report: (state) => progress.update(state),
    },
    { pauseMs: indexing.pollIntervalMs, signal },
  );
}

async function step(deps: FollowDeps, access: ChainAccess): Promise<boolean> {
  const { chain, source, replay, progress } = deps;
  if (access.vertices && replay.heads[chain].blockNumber < 0) await catchUpVertices(deps, access.vertices);
  // Before the request: the answer does not contain a block that the node accepts after it.
  const headSeenAt = Math.floor(Date.now() / 1_000);
  const height = await source.height(chain);
  const { blockNumber } = replay.heads[chain];
  // A lower head may be that of one of several nodes behind the address. If all of them are behind, the chain waits.
  if (height >= blockNumber || progress.current.state === "WAITING") progress.update({ nodeBlockNumber: height });
  if (height > blockNumber) await catchUp(deps, access, height);
  else if (height < blockNumber)
    throw new NodeBehind(`the node is behind: its head is block ${height}, but block ${blockNumber} is indexed`);
  progress.update({ state: "FOLLOWING", reason: null, headSeenAt });
  await replay.noteComplete(chain, headSeenAt);
  deps.atHead?.();
  return true;
}

/** Fetches, checks and writes blocks up to `to`. The next batch is fetched while one is written. */
async function catchUp(deps: FollowDeps, { containers, firstParentId }: ChainAccess, to: number): Promise<void> {
  const { chain, replay, indexing, signal } = deps;
  const size = createBatchSize(indexing.batchBlocks);
  let tip = tipOf(replay.heads[chain], firstParentId);
  const fetchNext = () => {
    if (tip.height >= to) return null;
    return handledLater(fetchBlocks(deps, containers, tip.height + 1, Math.min(to, tip.height + size.current)));
  };
  for (let fetching = fetchNext(); fetching; ) {
    const fetched = await fetching;
    signal.throwIfAborted();
    const checked = await checkFetched(chain, tip, fetched, replay.heads[chain].rawSeq + 1);
    tip = checked.tip;
    fetching = checked.failure ? null : fetchNext();
    await size.measure(() => writeBlocks(deps, checked.good, to));
    if (checked.failure) throw checked.failure;
  }
}

function tipOf({ blockNumber: height, blockHash: blockId, containerId }: PrimaryHead, firstParentId: string): ChainTip {
  return height < 0 ? { height, blockId: firstParentId, containerId: firstParentId } : { height, blockId, containerId };
}

async function fetchBlocks(
  { chain, source }: FollowDeps,
  containers: ContainerIndex | null,
  from: number,
  to: number,
): Promise<readonly FetchedBlock[]> {
  // The node's index does not contain block 0.
  if (!containers || from === 0) {
    const blocks = await source.blocks(chain, from, containers ? 0 : to);
    return blocks.map((bytes) => ({ id: null, bytes, acceptedAt: null }));
  }
  const blocks = await containers.from(from - 1, to - from + 1);
  if (blocks.length > 0) return blocks;
  throw new NodeBehind(`the node's index of the ${chain}-Chain ends before block ${from}, which the node has`);
}

interface CheckedBlocks extends GoodPrefix<DecodedBlock> {
  /** The last good block. */
  readonly tip: ChainTip;
}

/** Decodes blocks and checks that they follow the tip. Each block is decoded once: the check and the replay share the result. */
async function checkFetched(
  chain: RawBlockChain,
  from: ChainTip,
  fetched: readonly FetchedBlock[],
  firstSeq: number,
): Promise<CheckedBlocks> {
  let tip = from;
  const checked = await mapGoodPrefix(fetched, ({ id, bytes, acceptedAt }, i) => {
    const entry = { seq: firstSeq + i, isVertex: false, payload: bytes, acceptedAt };
    const decoded = decodeNamed(
      () => `block ${tip.height + 1} of the ${chain}-Chain`,
      () => decodeBlock(chain, entry),
    );
    tip = nextTip(chain, tip, decoded.block, decoded.proposer, id);
    return decoded;
  });
  return { ...checked, tip };
}

function writeBlocks({ chain, replay, progress }: FollowDeps, blocks: readonly DecodedBlock[], to: number) {
  return storeBlocks(blocks, {
    after: replay.heads[chain].blockNumber,
    nodeHead: to,
    async write(some, options) {
      await replay.acceptDecoded(chain, some, options);
      const { blockNumber } = replay.heads[chain];
      progress.update({ blockNumber, fetchedBlockNumber: blockNumber });
    },
    nameOf: ({ block }) => `block ${block.height} of the ${chain}-Chain (${formatId(block.id)})`,
    progress,
  });
}
