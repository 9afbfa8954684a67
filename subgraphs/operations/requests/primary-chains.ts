import { NETWORKS, type Network } from "../../../core/config/settings/network.ts";
import { parseId } from "../../../core/formats/cb58.ts";
import {
  DOCUMENTED_CHAIN_IDS,
  P_CHAIN_ID,
  PRIMARY_CHAIN_ALIASES,
  PRIMARY_CHAINS,
  type PrimaryChain,
} from "../../../core/networks/primary-chains.ts";
import type { PrimaryNetworks } from "../chains/networks.ts";
import { requireEntries } from "./address-lists.ts";
import { invalid } from "./invalid.ts";

/** A chain that a request names. */
export interface NamedChain {
  readonly chain: PrimaryChain;
  /** Null for a name that every network has: an alias, or the id of the P-Chain. */
  readonly network: Network | null;
  /** Path of the member, such as `options.includeChains[0]`. */
  readonly path: string;
  /** As the caller wrote it. */
  readonly text: string;
}

type Known = Pick<NamedChain, "chain" | "network">;

/**
 * Parses chains of a primary network: aliases, documented ids, and ids of the configured networks. Until the genesis of a
 * configured private network is indexed, its ids are not known, and an unknown id fails with `UNAVAILABLE`.
 */
export async function parsePrimaryChains(networks: PrimaryNetworks, list: readonly string[]): Promise<NamedChain[]> {
  const path = "options.includeChains";
  requireEntries(path, list);
  const named: NamedChain[] = [];
  for (const [index, text] of list.entries()) {
    const known = await chainByName(networks, text);
    const names = Object.values(PRIMARY_CHAIN_ALIASES).join(", ");
    if (!known) throw invalid(`${path}[${index}]`, `must be ${names}, or the blockchain id of such a chain`, text);
    named.push({ ...known, path: `${path}[${index}]`, text });
  }
  return named;
}

async function chainByName(networks: PrimaryNetworks, text: string): Promise<Known | null> {
  const alias = PRIMARY_CHAINS.find((chain) => PRIMARY_CHAIN_ALIASES[chain] === text);
  if (alias) return { chain: alias, network: null };
  const id = parseId(text);
  if (id === null) return null;
  return id === P_CHAIN_ID ? { chain: "P", network: null } : (documentedChain(id) ?? ownChain(networks, id));
}

function documentedChain(id: string): Known | null {
  for (const network of NETWORKS)
    for (const chain of ["X", "C"] as const) if (DOCUMENTED_CHAIN_IDS[network][chain] === id) return { chain, network };
  return null;
}

async function ownChain(networks: PrimaryNetworks, id: string): Promise<Known | null> {
  let failure: unknown = null;
  for (const configured of networks.configured) {
    const ids = await networks.chainIds(configured).catch((error: unknown) => {
      failure = error;
      return null;
    });
    const chain = ids && PRIMARY_CHAINS.find((one) => ids[one] === id);
    if (chain) return { chain, network: configured.network };
  }
  // The id may belong to the network whose chain ids are not known yet.
  if (failure) throw failure;
  return null;
}
