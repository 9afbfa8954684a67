import { Failure, quoted } from "../../../core/errors/errors.ts";
import { parseId } from "../../../core/formats/cb58.ts";
import {
  DOCUMENTED_CHAIN_IDS,
  P_CHAIN_ID,
  PRIMARY_CHAIN_ALIASES,
  type PrimaryChain,
} from "../../../core/networks/primary-chains.ts";
import { idText } from "../identifiers/ids.ts";
import type { ServedNetwork } from "./served-network.ts";

/** Resolves a caller's `blockchainId`: an alias, or an ID as CB58 or hex. Throws `NOT_FOUND` for any other value. */
export function findChain(network: ServedNetwork, blockchainId: string): PrimaryChain {
  const chain = chainByText(network, blockchainId) ?? chainByText(network, parseId(blockchainId) ?? "");
  if (chain) return chain;
  const names = [
    ...Object.values(PRIMARY_CHAIN_ALIASES),
    P_CHAIN_ID,
    idText(network.xChainId),
    idText(network.cChainId),
  ].join(", ");
  throw new Failure(
    "NOT_FOUND",
    `blockchainId ${quoted(blockchainId)} is not a chain of network ${network.network}: its chains are ${names}`,
  );
}

function chainByText({ network, xChainId, cChainId }: ServedNetwork, text: string): PrimaryChain | null {
  const { X, C } = DOCUMENTED_CHAIN_IDS[network];
  if (text === PRIMARY_CHAIN_ALIASES.P || text === P_CHAIN_ID) return "P";
  if (text === PRIMARY_CHAIN_ALIASES.X || text === X || text === idText(xChainId)) return "X";
  if (text === PRIMARY_CHAIN_ALIASES.C || text === C || text === idText(cChainId)) return "C";
  return null;
}

/** CB58 ID of a chain of the network. */
export function chainIdText({ xChainId, cChainId }: ServedNetwork, chain: PrimaryChain): string {
  if (chain === "P") return P_CHAIN_ID;
  return idText(chain === "X" ? xChainId : cChainId);
}
