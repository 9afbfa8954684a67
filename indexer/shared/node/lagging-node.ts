import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { NodeUnavailable } from "./errors.ts";

/** The node is behind what it, or another node behind the same address, has returned before. */
export class NodeBehind extends NodeUnavailable {}

/**
 * The node does not return a block, or a part of one, although its head is not below it: it has deleted the block, or it is one of several
 * nodes behind one address, and behind the others.
 */
export class BlockUnavailable extends BadUpstreamData {}

/** If the node is behind in more successive polls than this, it is no passing difference between several nodes. */
const PATIENT_POLLS = 20;

/** Distinguishes one of several nodes behind one address that lags from an address where all nodes are behind. */
export interface LagPatience {
  /** To be called when data of the node was used. */
  worked(): void;
  /** True if the error only says that the node is behind, and it worked a few polls before. The chain then keeps its state. */
  covers(error: unknown): boolean;
}

export function createLagPatience(): LagPatience {
  let pollsLeft = 0;
  return {
    worked() {
      pollsLeft = PATIENT_POLLS;
    },
    covers: (error) => (error instanceof NodeBehind || error instanceof BlockUnavailable) && pollsLeft-- > 0,
  };
}
