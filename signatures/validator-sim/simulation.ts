import type { PChainState, SimulatorConfig } from "./config.ts";
import type { ValidatorNode } from "./peer/validator-node.ts";
import type { Signer } from "./signing/signer.ts";

/** Everything that the parts of the simulator share. */
export interface Simulation {
  readonly config: SimulatorConfig;
  readonly nodes: readonly ValidatorNode[];
  readonly signer: Signer;
  /** The P-Chain's state, which can be replaced. */
  pChain(): PChainState;
}
