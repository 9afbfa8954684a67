import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { addressPrefix } from "../../../core/formats/bech32.ts";
import { consensusExceptions } from "./consensus-exceptions.ts";
import { decodePGenesis, type PGenesis } from "./p-genesis.ts";
import type { NetworkRules } from "./rules.ts";
import { decodeXGenesis, type GenesisAsset } from "./x-genesis.ts";

/** The genesis state of a primary network. */
export interface NetworkGenesis {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, in hex: the parent id of P-Chain block 0. */
  readonly id: string;
  /** In seconds. */
  readonly timestamp: number;
  readonly p: PGenesis;
  /** The genesis assets of the X-Chain; the first one is AVAX. */
  readonly x: readonly GenesisAsset[];
}

/** Facts of a primary network from its genesis and rules. Ids are hex without `0x`. */
export interface NetworkFacts extends NetworkRules {
  readonly networkId: number;
  /** Bech32 prefix of its addresses, such as `avax`, without the chain alias. */
  readonly hrp: string;
  readonly genesis: NetworkGenesis;
  readonly xChainId: string;
  readonly cChainId: string;
  readonly avaxAssetId: string;
  /** Blocks of the C-Chain that repeat atomic transactions without an effect on atomic memory: heights by hash. */
  readonly bonusBlocks: ReadonlyMap<string, number>;
}

/** VM ids of the X- and the C-Chain (CB58 `jvYyfQTx…` and `mgj786NP…`): their names in ASCII, padded with zeros. */
const AVM = Buffer.from("avm").toString("hex").padEnd(64, "0");
const EVM = Buffer.from("evm").toString("hex").padEnd(64, "0");

/**
 * Reads the facts from the genesis state of the P-Chain. Throws `BadUpstreamData` if this state does not define an X- and a
 * C-Chain of this network.
 */
export function networkFacts(networkId: number, bytes: Uint8Array, rules: NetworkRules): NetworkFacts {
  const p = decodePGenesis(bytes);
  const chainWithVm = (vmId: string, name: string) => {
    const chain = p.chains.find((candidate) => candidate.vmId === vmId);
    if (!chain) throw new BadUpstreamData(`the genesis has no ${name}`);
    return chain;
  };
  const xChain = chainWithVm(AVM, "X-Chain");
  const cChain = chainWithVm(EVM, "C-Chain");
  if (xChain.networkId !== networkId)
    throw new BadUpstreamData(
      `the genesis is of network ${xChain.networkId}, not ${networkId}: correct primaryNetworks[].networkId or primaryNetworks[].genesisFile`,
    );
  const x = decodeXGenesis(xChain.genesisData);
  const avax = x[0];
  if (!avax) throw new BadUpstreamData("the genesis of the X-Chain defines no asset");
  return {
    ...rules,
    networkId,
    hrp: addressPrefix(networkId),
    genesis: { bytes, id: p.id, timestamp: p.timestamp, p, x },
    xChainId: xChain.id,
    cChainId: cChain.id,
    avaxAssetId: avax.id,
    bonusBlocks: consensusExceptions(networkId).bonusBlocks,
  };
}
