import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { Method } from "../../../core/networks/methods/table.ts";
import type { Price } from "../shared/prices.ts";
import type { EvmFields } from "./statements.ts";

/** Metadata of the token that a row transfers. For NATIVE and INTERNAL rows it comes from the configuration. */
export interface Token {
  readonly name: string;
  readonly symbol: string;
  /** Null if amounts cannot be written in whole units. */
  readonly decimals: number | null;
}

/** A row with its context from other tables. */
export interface EvmRow {
  readonly chain: EvmChainConfig;
  /** The exported addresses among the sender and the recipient, in this order, as `\x` hex; at least one, each once. */
  readonly exported: readonly string[];
  /** From the exported addresses' point of view. */
  readonly direction: "IN" | "OUT" | "SELF";
  readonly fields: EvmFields;
  readonly time: string;
  /** Null if no metadata is indexed. */
  readonly token: Token | null;
  /** In US dollars, at the time of the block; null if unknown. */
  readonly price: Price | null;
  /** Base fee of the block of a NATIVE row; null for other rows. */
  readonly baseFee: string | null;
  /** Null unless the row is NATIVE. */
  readonly method: Method | null;
  /** In the smallest unit of the native token. Null unless the row is NATIVE and its sender is an exported address. */
  readonly fee: bigint | null;
}
