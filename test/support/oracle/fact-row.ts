import type { Hex } from "viem";
import type { NodeLog } from "../recorded/node-chain.ts";

/** An expected row of a table: decimal text, `0x` and hex digits, `true` or `false`, or null. */
export type FactRow = Readonly<Record<string, string | null>>;

/** The leading columns of every row of a transaction. */
export interface Place {
  readonly chain_id: string;
  readonly block_number: string;
  readonly block_index: string;
  readonly block_timestamp: string;
  readonly block_hash: string;
  readonly tx_hash: string;
}

/** The decimal text of a hex quantity; 0 if it is absent. */
export const decimal = (hex: Hex | undefined): string => BigInt(hex ?? "0x0").toString();
/** The same, but null if it is absent. */
export const decimalOrNull = (hex: Hex | undefined): string | null => (hex === undefined ? null : decimal(hex));

/** The additional column of a row of a log. */
export function logIndexOf(log: NodeLog): { readonly log_index: string } {
  return { log_index: decimal(log.logIndex) };
}
