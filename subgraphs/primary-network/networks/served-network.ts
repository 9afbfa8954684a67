import type { Network } from "../../../core/config/settings/network.ts";

/** A primary network that this installation serves. Ids are `0x` hex. */
export interface ServedNetwork {
  /** Name in paths and answers. A private network uses the name of the public network that it replaces. */
  readonly network: Network;
  /** Decimal text, as statements take it. */
  readonly networkId: string;
  /** Bech32 prefix of its addresses, without the chain. */
  readonly hrp: string;
  /** Seconds since the epoch. */
  readonly genesisTimestamp: string;
  readonly xChainId: string;
  readonly cChainId: string;
  readonly avaxAssetId: string;
}
