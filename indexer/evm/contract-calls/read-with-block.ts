import { BadUpstreamData } from "../../../core/errors.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { EvmSource } from "../fetch/source.ts";

/** The block in which a contract or token first appeared; the hash is hex without `0x`. */
export interface FirstBlock {
  readonly firstBlockNumber: number;
  readonly firstBlockHash: string;
}

/**
 * Returns what `read` reads of contracts at the node's head. Null if the node does not have `block`, the newest in which one
 * of them first appeared, before and after the reading: then the node is on another chain or branch, or behind, and may have
 * answered for another contract or none. `read` is not called if the block is missing before.
 */
export async function readWithBlock<Result>(
  source: Pick<EvmSource, "blockRef">,
  block: FirstBlock,
  read: () => Promise<Result>,
): Promise<Result | null> {
  if (!(await hasBlock(source, block))) return null;
  const result = await read();
  return (await hasBlock(source, block)) ? result : null;
}

/** False also if the node is unavailable. */
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
