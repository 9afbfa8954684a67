import type { Assets } from "../assets/amounts.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { PrimaryNetworkUtxo } from "../utxos/types.ts";

/** Data that the transactions of a page share. */
export interface TransactionPageParts {
  readonly network: ServedNetwork;
  readonly assets: Assets;
  /** By ID in `0x` hex. */
  readonly utxos: ReadonlyMap<string, PrimaryNetworkUtxo>;
}
