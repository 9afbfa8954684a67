import type { Config } from "../../../core/config/config-schema.ts";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { followNode } from "../../follow/follow-node.ts";
import { isFarBehind, storeInOrder } from "../../follow/store-in-order.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Progress, ProgressState } from "../../shared/progress.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import type { AtomicBlock } from "../replay/atomic.ts";
import type { PrimaryReplay } from "../replay/replay.ts";

export interface AtomicDeps {
  /** EVM chain id of the C-Chain; null if it is not configured as an EVM chain. */
  readonly evmChainId: string | null;
  readonly writer: Writer;
  readonly replay: PrimaryReplay;
  readonly progress: Progress;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly signal: AbortSignal;
}

/**
 * Indexes the atomic transactions of the C-Chain's blocks that the EVM indexer has stored, until `signal` aborts. Rejects only if
 * the database fails. If the EVM indexer replaces a block, all atomic transactions of the C-Chain are indexed again.
 */
export async function followAtomic(deps: AtomicDeps): Promise<void> {
  const { replay, progress, indexing, signal } = deps;
  await followNode(
    {
      position: () => replay.heads.C.blockNumber,
      async identify() {
        if (deps.evmChainId !== null) return;
        throw new NodeUnavailable(
          "the C-Chain's atomic transactions are read from its EVM blocks, but no entry of evmChains is the network's C-Chain",
        );
      },
      step: () => indexBatch(deps),
      report: (state) => progress.update(state),
    },
    { pauseMs: indexing.pollIntervalMs, signal },
  );
}

/** Indexes one batch of blocks. True if it reached the last block of the EVM chain. */
async function indexBatch(deps: AtomicDeps): Promise<boolean> {
  const { evmChainId, writer, replay, progress, indexing } = deps;
  const { blockNumber, blockHash } = replay.heads.C;
  const stored = await writer.transaction((session) =>
    readEvmChain(session, evmChainId ?? "", blockNumber, indexing.batchBlocks),
  );
  if (!stored.head) {
    progress.update(stateAfter(stored, false));
    return true;
  }
  const { number } = stored.head;
  progress.update({ nodeBlockNumber: Math.max(number, stored.nodeBlockNumber) });
  if (number < blockNumber) {
    // While the rows of the EVM chain are rebuilt, there is nothing to do here, and nothing that an operator could repair.
    if (stored.state !== "BACKFILLING")
      throw new NodeUnavailable(
        `EVM chain ${evmChainId} is indexed up to block ${number}, but its atomic transactions up to block ${blockNumber}`,
      );
    progress.update(stateAfter(stored, false));
    return true;
  }
  if (blockNumber >= 0 && stored.lastHash !== blockHash) {
    if (stored.lastHash === null)
      throw new BadUpstreamData(
        `block ${blockNumber} of EVM chain ${evmChainId} is no longer stored, but its atomic transactions are indexed`,
      );
    const reason = `block ${blockNumber} of EVM chain ${evmChainId} was replaced: its atomic transactions are indexed again`;
    progress.update({ state: "BACKFILLING", reason, blockNumber: -1, fetchedBlockNumber: -1 });
    await replay.resetAtomic();
    return false;
  }
  const last = stored.blocks.at(-1)?.number ?? blockNumber;
  const relaxed = isFarBehind(blockNumber, number);
  if (last > blockNumber)
    await storeInOrder(stored.blocks, {
      nameOf: ({ number, hash }) => `block ${number} of the C-Chain (0x${hash}), by its atomic transactions,`,
      async write(blocks) {
        await replay.acceptAtomic(blocks, { relaxed });
        const { blockNumber: reached } = replay.heads.C;
        progress.update({ blockNumber: reached, fetchedBlockNumber: reached });
      },
    });
  progress.update({
    ...stateAfter(stored, last < number),
    blockNumber: last,
    fetchedBlockNumber: last,
    // Once all blocks of the EVM chain are applied, the time at which its indexer saw the node's head also applies here.
    ...(last === number && { headSeenAt: stored.headSeenAt }),
  });
  if (last === number && stored.headSeenAt !== null) await replay.noteComplete("C", stored.headSeenAt);
  return last === number;
}

/** State and reason after a batch. Once all blocks of the EVM chain are applied, those of the EVM chain are used. */
function stateAfter({ state, reason }: StoredEvmChain, isBehind: boolean): Pick<ProgressState, "state" | "reason"> {
  if (isBehind) return { state: "BACKFILLING", reason: null };
  return { state, reason: reason === null ? null : `the EVM chain: ${reason}` };
}

interface StoredEvmChain extends Pick<ProgressState, "state" | "reason"> {
  /** The last block of the EVM chain in the database; null before the first. */
  readonly head: AtomicBlock | null;
  readonly nodeBlockNumber: number;
  /** As in the progress row of the EVM chain. */
  readonly headSeenAt: number | null;
  /** Current hash of the last block whose atomic transactions are indexed; null if there is no such block. */
  readonly lastHash: string | null;
  /** The next blocks that have atomic transactions. If there are no more of those, `head` is the last element. */
  readonly blocks: readonly AtomicBlock[];
}

interface BlockRow extends Record<string, unknown> {
  readonly block_number: string;
  readonly block_hash: Buffer;
  readonly block_timestamp: string;
  readonly ext_data?: Buffer;
}

interface ProgressRow extends Pick<ProgressState, "state" | "reason">, Record<string, unknown> {
  readonly node_block_number: string | null;
  readonly head_seen_at: string | null;
}

const HEAD = "SELECT block_number, block_hash, block_timestamp FROM chain_heads WHERE chain_id = $1";
const PROGRESS = "SELECT state, reason, node_block_number, head_seen_at FROM chain_progress WHERE chain_id = $1";
const LAST_HASH = "SELECT block_hash FROM evm_blocks WHERE chain_id = $1 AND block_number = $2";
const NEXT_BLOCKS = `SELECT block_number, block_hash, block_timestamp, ext_data FROM evm_ext_data
  WHERE chain_id = $1 AND block_number > $2 AND block_number <= $3 ORDER BY block_number LIMIT $4`;

async function readEvmChain(session: Session, chainId: string, after: number, limit: number): Promise<StoredEvmChain> {
  // The EVM indexer writes at the same time: all statements must see the same blocks.
  await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  const [headRow] = await session.query<BlockRow>(HEAD, [chainId]);
  const [progress] = await session.query<ProgressRow>(PROGRESS, [chainId]);
  const { state = "BACKFILLING", reason = null, node_block_number = null, head_seen_at = null } = progress ?? {};
  const headSeenAt = head_seen_at === null ? null : Number(head_seen_at);
  const chain = { state, reason, nodeBlockNumber: Number(node_block_number ?? -1), headSeenAt };
  if (!headRow) return { ...chain, head: null, lastHash: null, blocks: [] };
  const head = blockOf(headRow);
  const [last] = await session.query<{ block_hash: Buffer }>(LAST_HASH, [chainId, after]);
  const rows = await session.query<BlockRow>(NEXT_BLOCKS, [chainId, after, head.number, limit]);
  const blocks = rows.map(blockOf);
  const isComplete = rows.length < limit && head.number > Math.max(after, blocks.at(-1)?.number ?? -1);
  return {
    ...chain,
    head,
    lastHash: last?.block_hash.toString("hex") ?? null,
    blocks: isComplete ? [...blocks, head] : blocks,
  };
}

function blockOf(row: BlockRow): AtomicBlock {
  return {
    number: Number(row.block_number),
    hash: row.block_hash.toString("hex"),
    timestamp: Number(row.block_timestamp),
    extData: row.ext_data ?? new Uint8Array(),
  };
}
