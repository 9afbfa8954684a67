import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { NetworkFacts } from "./network.ts";

/** The chains whose blocks `primary_raw_blocks` holds. The C-Chain's raw blocks are stored by the EVM indexer. */
export type RawBlockChain = Exclude<PrimaryChain, "C">;

/** 32 zero bytes in hex: the blockchain id of every P-Chain, and the subnet id of every primary network. */
export const ZERO_ID = "00".repeat(32);

/** The alias of a blockchain id (hex). Throws `BadUpstreamData` if the chain is not one of this primary network. */
export function chainOf({ xChainId, cChainId }: Pick<NetworkFacts, "xChainId" | "cChainId">, id: string): PrimaryChain {
  const chain = ({ [ZERO_ID]: "P", [xChainId]: "X", [cChainId]: "C" } as const)[id];
  if (!chain) throw new BadUpstreamData(`blockchain ${id} is not a chain of this primary network`);
  return chain;
}
