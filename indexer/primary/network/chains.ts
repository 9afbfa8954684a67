import { BadUpstreamData } from "../../../core/errors.ts";
import type { NetworkFacts } from "./network.ts";

/** A chain of a primary network, as rows name it. */
export type PrimaryChain = "P" | "X" | "C";

/** Id of the P-Chain on every network; of the primary network among the subnets the same. */
export const ZERO_ID = "00".repeat(32);

/** The chain of that id; refused when it is none of the network's. */
export function chainOf({ xChainId, cChainId }: Pick<NetworkFacts, "xChainId" | "cChainId">, id: string): PrimaryChain {
  const chain = ({ [ZERO_ID]: "P", [xChainId]: "X", [cChainId]: "C" } as const)[id];
  if (!chain) throw new BadUpstreamData(`chain ${id} is not of this primary network`);
  return chain;
}
