import type { Config } from "../../../core/config-schema.ts";
import { PRIMARY_NETWORK } from "./report.ts";
import type { Subnets } from "./subnets.ts";

/** A chain that is indexed, and has a check. What its settings do not say changes once the index knows it. */
export interface IndexedChain {
  /** Of its check: `P`, `X`, `C`, with `<network>/` before it in a network that is not the node's; else its blockchain id or EVM chain id. */
  readonly name: string;
  /** Id of its subnet; its EVM chain id while that is not known. */
  readonly subnet: string;
  /** Keys of its rows; the C-Chain has those of its EVM side, then those of its atomic transactions. */
  readonly parts: readonly string[];
}

type Chains = Pick<Config, "evmChains" | "primaryNetworks">;
type EvmChain = Chains["evmChains"][number];

/** Of mainnet and Fuji. */
const C_CHAIN_IDS: ReadonlySet<number> = new Set([43_114, 43_113]);

/** Key of the rows of an EVM chain. */
export const evmKey = (chainId: number | string): string => String(chainId);
/** Key of the rows of a chain of a primary network. */
export const primaryKey = (networkId: number | string, chain: string): string => `${networkId}/${chain}`;

/** Of chains whose settings do not say of which subnet they are. */
export const blockchainsWithoutSubnet = ({ evmChains }: Chains): string[] =>
  evmChains.flatMap((chain) => (chain.blockchainId && givenSubnet(chain) === null ? [chain.blockchainId] : []));

function givenSubnet({ chainId, subnetId }: EvmChain): string | null {
  return subnetId ?? (C_CHAIN_IDS.has(chainId) ? PRIMARY_NETWORK : null);
}

/**
 * The chains of the configuration. `network` is the node's; `subnets` knows what the settings do not say. Without its EVM
 * chain the C-Chain of a network is not indexed.
 */
export function indexedChains(
  { evmChains, primaryNetworks }: Chains,
  network: string,
  subnets: Pick<Subnets, "of">,
): IndexedChain[] {
  const prefix = (of: string) => (of === network ? "" : `${of}/`);
  const primary = primaryNetworks.flatMap(({ network: of, networkId }) =>
    ["P", "X"].map((chain) => ({
      name: prefix(of) + chain,
      subnet: PRIMARY_NETWORK,
      parts: [primaryKey(networkId, chain)],
    })),
  );
  const evm = evmChains.map((chain): IndexedChain => {
    const own = primaryNetworks.find(({ network: of }) => of === chain.network);
    const subnet = () => givenSubnet(chain) ?? (chain.blockchainId ? subnets.of(chain.blockchainId) : null);
    const isCChain = () => subnet() === PRIMARY_NETWORK;
    return {
      get name() {
        return isCChain() ? `${prefix(chain.network)}C` : (chain.blockchainId ?? String(chain.chainId));
      },
      get subnet() {
        return subnet() ?? String(chain.chainId);
      },
      get parts() {
        return [evmKey(chain.chainId), ...(own && isCChain() ? [primaryKey(own.networkId, "C")] : [])];
      },
    };
  });
  return [...primary, ...evm];
}
