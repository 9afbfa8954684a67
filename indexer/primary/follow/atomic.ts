import type { Config } from "../../../core/config-schema.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Progress, ProgressState } from "../../shared/progress.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import type { AtomicBlock } from "../replay/atomic.ts";
import type { PrimaryReplay } from "../replay/replay.ts";
import { keepFollowing, storing } from "./loop.ts";

export interface AtomicDeps {
  /** EVM chain id of the C-Chain; null when none is configured. */
  readonly evmChainId: string | null;
  readonly writer: Writer;
  readonly replay: PrimaryReplay;
  readonly progress: Progress;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly signal: AbortSignal;
}

/** Above this distance from the head, losing the last blocks in a crash costs less than waiting for the disk. */
const NEAR_HEAD = 16;

/**
 * Takes in the atomic transactions of the C-Chain's blocks as they are indexed as an EVM chain. Blocks that are taken back
 * there after they were taken in here stop it.
 */
export async function followAtomic(deps: AtomicDeps): Promise<void> {
  const { replay, progress, indexing, signal } = deps;
  await keepFollowing(
    {
      position: () => replay.heads.C.blockNumber,
      async identify() {
        if (deps.evmChainId !== null) return;
        throw new NodeUnavailable(
          "atomic transactions come out of the EVM chain with the C-Chain's blockchain id, and none is configured",
        );
      },
      async step() {
        while (!(await isAtHead(deps))) signal.throwIfAborted();
      },
      report: (state, reason, detail) => progress.update({ state, reason, detail }),
    },
    indexing.pollIntervalMs,
    signal,
  );
}

/** Takes in what there is, at most a batch. */
async function isAtHead(deps: AtomicDeps): Promise<boolean> {
  const { evmChainId, writer, replay, progress, indexing } = deps;
  const { blockNumber, blockHash } = replay.heads.C;
  const seen = await writer.transaction((session) =>
    look(session, evmChainId ?? "", blockNumber, indexing.batchBlocks),
  );
  if (!seen.head) {
    progress.update(standing(seen, false));
    return true;
  }
  const { number } = seen.head;
  progress.update({ nodeBlockNumber: Math.max(number, seen.nodeBlockNumber) });
  if (number < blockNumber)
    throw new NodeUnavailable(
      `EVM chain ${evmChainId} is indexed up to block ${number}, block ${blockNumber} is taken in`,
    );
  if (blockNumber >= 0 && seen.ownHash !== blockHash)
    throw new BadUpstreamData(
      `block ${blockNumber} of EVM chain ${evmChainId} was taken back after its atomic transactions were taken in`,
    );
  const last = seen.blocks.at(-1)?.number ?? blockNumber;
  const relaxed = number - blockNumber > NEAR_HEAD;
  if (last > blockNumber)
    await storing(`atomic transactions after block ${blockNumber}`, () =>
      replay.acceptAtomic(seen.blocks, { relaxed }),
    );
  progress.update({
    ...standing(seen, last < number),
    blockNumber: last,
    fetchedBlockNumber: last,
    // What the EVM chain's indexer has seen holds here too once its blocks are taken in.
    ...(last === number && { headSeenAt: seen.headSeenAt }),
  });
  return last === number;
}

/** An EVM chain that goes no further takes this one along. */
function standing({ state, reason }: Seen, isBehind: boolean): Pick<ProgressState, "state" | "reason"> {
  if (isBehind) return { state: "BACKFILLING", reason: null };
  return { state, reason: reason === null ? null : `the EVM chain: ${reason}` };
}

interface Seen extends Pick<ProgressState, "state" | "reason"> {
  /** How far the EVM chain is indexed. */
  readonly head: AtomicBlock | null;
  readonly nodeBlockNumber: number;
  /** As in the progress of the EVM chain. */
  readonly headSeenAt: number | null;
  /** Hash of the block taken in last, as it is indexed now. */
  readonly ownHash: string | null;
  /** Blocks that follow it with what they carry, and, where there are no more of those, the head. */
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
const OWN = "SELECT block_hash FROM evm_blocks WHERE chain_id = $1 AND block_number = $2";
const FOLLOWING = `SELECT block_number, block_hash, block_timestamp, ext_data FROM evm_ext_data
  WHERE chain_id = $1 AND block_number > $2 AND block_number <= $3 ORDER BY block_number LIMIT $4`;

async function look(session: Session, chainId: string, after: number, limit: number): Promise<Seen> {
  // The EVM chain has a writer of its own, which must not roll back in between.
  await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  const [headRow] = await session.query<BlockRow>(HEAD, [chainId]);
  const [progress] = await session.query<ProgressRow>(PROGRESS, [chainId]);
  const { state = "BACKFILLING", reason = null, node_block_number = null, head_seen_at = null } = progress ?? {};
  const headSeenAt = head_seen_at === null ? null : Number(head_seen_at);
  const seen = { state, reason, nodeBlockNumber: Number(node_block_number ?? -1), headSeenAt };
  if (!headRow) return { ...seen, head: null, ownHash: null, blocks: [] };
  const head = blockOf(headRow);
  const [own] = await session.query<{ block_hash: Buffer }>(OWN, [chainId, after]);
  const rows = await session.query<BlockRow>(FOLLOWING, [chainId, after, head.number, limit]);
  const blocks = rows.map(blockOf);
  const isWhole = rows.length < limit && head.number > Math.max(after, blocks.at(-1)?.number ?? -1);
  return {
    ...seen,
    head,
    ownHash: own?.block_hash.toString("hex") ?? null,
    blocks: isWhole ? [...blocks, head] : blocks,
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
