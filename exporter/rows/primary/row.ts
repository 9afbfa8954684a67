import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Price } from "../shared/prices.ts";
import type { MovementFields } from "./movements.ts";
import type { ExportedNetwork } from "./network.ts";

export interface Asset {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** An account of the C-Chain in an atomic transaction. Hex without `0x`. */
export interface Account {
  readonly address: string;
}

/** A movement of an output with its context from other tables. */
export interface MovementRow {
  readonly network: ExportedNetwork;
  readonly chain: PrimaryChain;
  readonly fields: MovementFields;
  readonly time: string;
  /** Null if the asset's creation is not indexed. */
  readonly asset: Asset | null;
  /** Price of the asset in US dollars at the time of the movement; null if unknown. */
  readonly price: Price | null;
  /** Price of AVAX at that time; null if unknown, or if neither the asset nor the fee is AVAX. */
  readonly avaxPrice: Price | null;
  /** Accounts that an atomic transaction of the C-Chain debits or credits. */
  readonly accounts: readonly Account[];
  /** The addresses of the request, as `\x` hex. */
  readonly owners: ReadonlySet<string>;
  /** True for the first row of a transaction in which an exported address spends: it has the amounts of the transaction. */
  readonly hasTransactionAmounts: boolean;
}
