import { addressPrefix } from "../../../core/bech32.ts";
import { decodePGenesis, type PGenesis } from "../../../core/codec/genesis/p-genesis.ts";
import { decodeXGenesis, type GenesisAsset } from "../../../core/codec/genesis/x-genesis.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import type { NetworkRules } from "./rules.ts";

/** The state in which a network begins. */
export interface NetworkGenesis {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, in hex: the parent of P-Chain block 0. */
  readonly id: string;
  /** In seconds. */
  readonly timestamp: number;
  readonly p: PGenesis;
  /** The first assets of the X-Chain; the first of them is AVAX. */
  readonly x: readonly GenesisAsset[];
}

/** What a primary network is before its first block. Ids are hex without `0x`. */
export interface NetworkFacts extends NetworkRules {
  readonly networkId: number;
  /** Bech32 prefix of its addresses, without the chain. */
  readonly hrp: string;
  readonly genesis: NetworkGenesis;
  readonly xChainId: string;
  readonly cChainId: string;
  readonly avaxAssetId: string;
}

/** Ids of the VMs that the X- and the C-Chain run (CB58 `jvYyfQTx…` and `mgj786NP…`): their names in ASCII, filled up with zeros. */
const AVM = Buffer.from("avm").toString("hex").padEnd(64, "0");
const EVM = Buffer.from("evm").toString("hex").padEnd(64, "0");

/** Reads the facts out of the platform genesis bytes. Throws `BadUpstreamData` where they are not those of a network with an X- and a C-Chain. */
export function networkFacts(networkId: number, bytes: Uint8Array, rules: NetworkRules): NetworkFacts {
  const p = decodePGenesis(bytes);
  const chainOf = (vmId: string, name: string) => {
    const chain = p.chains.find((one) => one.vmId === vmId);
    if (!chain) throw new BadUpstreamData(`the genesis has no ${name}`);
    return chain;
  };
  const [xChain, cChain] = [chainOf(AVM, "X-Chain"), chainOf(EVM, "C-Chain")];
  if (xChain.networkId !== networkId)
    throw new BadUpstreamData(`the genesis is of network ${xChain.networkId}, not of ${networkId}`);
  const x = decodeXGenesis(xChain.genesisData);
  const avax = x[0];
  if (!avax) throw new BadUpstreamData("the genesis of the X-Chain has no asset");
  return {
    ...rules,
    networkId,
    hrp: addressPrefix(networkId),
    genesis: { bytes, id: p.id, timestamp: p.timestamp, p, x },
    xChainId: xChain.id,
    cChainId: cChain.id,
    avaxAssetId: avax.id,
  };
}
