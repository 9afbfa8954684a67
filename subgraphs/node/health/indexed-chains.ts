import type { Config } from "../../../core/config-schema.ts";
import { PRIMARY_NETWORK } from "./report.ts";

/** A chain that is indexed, and has a check. */
export interface IndexedChain {
  /** Of its check: `P`, `X`, `C`, with `<network>/` before it in a network that is not the node's; else its blockchain id or EVM chain id. */
  readonly name: string;
  /** Id of its subnet, or the chain's name where the settings do not say it. */
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

/**
 * The chains of the configuration. `network` is the node's; `cChainIds` holds blockchain ids that are known to be of
 * C-Chains. Without its EVM chain the C-Chain of a network is not indexed.
 */
export function indexedChains(
  { evmChains, primaryNetworks }: Chains,
  network: string,
  cChainIds: ReadonlySet<string>,
): IndexedChain[] {
  const prefix = (of: string) => (of === network ? "" : `${of}/`);
  const isCChain = ({ chainId, subnetId, blockchainId = "" }: EvmChain) =>
    subnetId === PRIMARY_NETWORK || C_CHAIN_IDS.has(chainId) || cChainIds.has(blockchainId);
  const primary = primaryNetworks.flatMap(({ network: of, networkId }) =>
    ["P", "X"].map((chain) => ({
      name: prefix(of) + chain,
      subnet: PRIMARY_NETWORK,
      parts: [primaryKey(networkId, chain)],
    })),
  );
  const evm = evmChains.map((chain) => {
    if (!isCChain(chain)) {
      const name = chain.blockchainId ?? String(chain.chainId);
      return { name, subnet: chain.subnetId ?? name, parts: [evmKey(chain.chainId)] };
    }
    const own = primaryNetworks.find(({ network: of }) => of === chain.network);
    const parts = [evmKey(chain.chainId), ...(own ? [primaryKey(own.networkId, "C")] : [])];
    return { name: `${prefix(chain.network)}C`, subnet: PRIMARY_NETWORK, parts };
  });
  return [...primary, ...evm];
}
