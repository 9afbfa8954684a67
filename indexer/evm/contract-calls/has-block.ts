import { BadUpstreamData } from "../../../core/errors.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { EvmSource } from "../fetch/source.ts";

/** The block in which a contract or token first appeared; the hash is hex without `0x`. */
export interface FirstBlock {
  readonly firstBlockNumber: number;
  readonly firstBlockHash: string;
}

/**
 * Whether the node has the block in which a contract first appeared. If not, it is on another chain or branch, or behind,
 * and would answer for another contract or none. False if the node is unavailable.
 */
export async function hasBlock(
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
