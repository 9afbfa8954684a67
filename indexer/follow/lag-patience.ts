import { BlockUnavailable, NodeBehind } from "../shared/node/lagging-node.ts";

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
