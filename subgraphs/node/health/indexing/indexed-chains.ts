import type { Config } from "../../../../core/config/config-schema.ts";
import { PRIMARY_NETWORK } from "../report.ts";
import type { Subnets } from "./subnets.ts";

/** An indexed chain, which has a health check. Its properties can change: the subnet may become known only when it is indexed. */
export interface IndexedChain {
  /**
   * Name of its check. For a chain of a primary network: `P`, `X` or `C`, with the prefix `<network>/` unless `/ext/info`
   * serves this network. For any other chain: its blockchain id; if that is not configured, its EVM chain id.
   */
  readonly name: string;
  /** Subnet id; the EVM chain id if the subnet is not known. */
  readonly subnet: string;
  /** Keys of its progress rows. The C-Chain has two: EVM blocks, then atomic transactions. */
  readonly parts: readonly string[];
}

type Chains = Pick<Config, "evmChains" | "primaryNetworks">;
type EvmChain = Chains["evmChains"][number];

/** EVM chain ids of the C-Chains of mainnet and Fuji. */
const C_CHAIN_IDS: ReadonlySet<number> = new Set([43_114, 43_113]);

/** Key of the progress row of an EVM chain. */
const evmProgressKey = (chainId: number | string): string => String(chainId);
/** Key of the progress row of a chain of a primary network. */
const primaryProgressKey = (networkId: number | string, chain: string): string => `${networkId}/${chain}`;

/** Blockchain ids of the chains whose subnet is not configured. */
export const blockchainsWithoutSubnet = ({ evmChains }: Chains): string[] =>
  evmChains.flatMap((chain) => (chain.blockchainId && configuredSubnet(chain) === null ? [chain.blockchainId] : []));

function configuredSubnet({ chainId, subnetId }: EvmChain): string | null {
  return subnetId ?? (C_CHAIN_IDS.has(chainId) ? PRIMARY_NETWORK : null);
}

/**
 * The configured chains. `network` is the network that `/ext/info` serves; `subnets` finds the subnets that are not configured.
 * The C-Chain of a network is indexed only if its EVM chain is configured.
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
      parts: [primaryProgressKey(networkId, chain)],
    })),
  );
  const evm = evmChains.map((chain): IndexedChain => {
    const own = primaryNetworks.find(({ network: of }) => of === chain.network);
    const subnet = () => configuredSubnet(chain) ?? (chain.blockchainId ? subnets.of(chain.blockchainId) : null);
    const isCChain = () => subnet() === PRIMARY_NETWORK;
    return {
      get name() {
        return isCChain() ? `${prefix(chain.network)}C` : (chain.blockchainId ?? String(chain.chainId));
      },
      get subnet() {
        return subnet() ?? String(chain.chainId);
      },
      get parts() {
        return [evmProgressKey(chain.chainId), ...(own && isCChain() ? [primaryProgressKey(own.networkId, "C")] : [])];
      },
    };
  });
  return [...primary, ...evm];
}
