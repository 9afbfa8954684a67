import { join } from "node:path";
import { isEvmChain, type Manifest } from "./manifest.ts";

const DESCRIPTION = "A network that Moraine's authors ran and recorded, block by block as its nodes built them.";

/** Settings of the recorded EVM chains, as chains of the network `fuji`. `nodeUrl` is the base URL of the replay node. */
export function demoConfig(manifest: Manifest, nodeUrl: string): Record<string, unknown>[] {
  return manifest.chains.filter(isEvmChain).map((chain) => ({
    chainId: chain.evmChainId,
    network: "fuji",
    nodeUrl: new URL(chain.rpcPath, nodeUrl).href,
    chainName: chain.name,
    description: DESCRIPTION,
    blockchainId: chain.blockchainId,
    subnetId: chain.subnetId,
    vmId: chain.vmId,
    teleporterMessengers: chain.messenger ? [chain.messenger] : [],
    wrappedNativeTokens: chain.wrappedNativeTokens ?? [],
    enabledFeatures: ["teleporter", "nftIndexing"],
  }));
}

/** Settings of the recorded primary network, as the network `fuji`. `folder` is that of the recording. */
export function demoNetwork(manifest: Manifest, folder: string, nodeUrl: string): Record<string, unknown> {
  const genesisFile = join(folder, "genesis.json.gz");
  return { network: "fuji", networkId: manifest.networkID, nodeUrl, genesisFile };
}
