import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { EvmSource } from "../fetch/source.ts";

/** The block in which a contract or token first appeared; the hash is hex without `0x`. */
export interface FirstBlock {
  readonly firstBlockNumber: number;
  readonly firstBlockHash: string;
}

/**
 * Calls `read`, which reads contracts at the node's head, and returns its result. `block` is the newest of the blocks in which
 * these contracts first appeared. The node must have it both before and after the call; otherwise the result is null. A node
 * without it is behind, or on another chain or branch, where the addresses may belong to other contracts or to none. If the
 * block is missing before the call, `read` is not called.
 */
export async function readIfNodeHasBlock<Result>(
  source: Pick<EvmSource, "blockRef">,
  block: FirstBlock,
  read: () => Promise<Result>,
): Promise<Result | null> {
  if (!(await hasBlock(source, block))) return null;
  const result = await read();
  return (await hasBlock(source, block)) ? result : null;
}

/** False also if the node is unavailable or returns invalid data. */
async function hasBlock(
  source: Pick<EvmSource, "blockRef">,
  { firstBlockNumber, firstBlockHash }: FirstBlock,
): Promise<boolean> {
  try {
    return (await source.blockRef(firstBlockNumber))?.hash === firstBlockHash;
  } catch (error) {
    if (error instanceof NodeUnavailable || error instanceof BadUpstreamData) return false;
    throw error;
  }
}
