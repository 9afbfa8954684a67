import type { BlockRange } from "../block-range.ts";
import type { Table } from "../decode/tables.ts";
import type { CapabilityState } from "../store/capabilities.ts";
import type { FirstSeenTable, HoldingTable } from "../store/tables.ts";
import type { Difference } from "./compare-rows.ts";
import type { Example } from "./example.ts";

/** Rows that are missing, surplus or wrong. */
export interface Gap extends Omit<Difference, "blockNumber"> {
  /** `raw_blocks` stands for the raw block, `raw_traces` for its call trees. */
  readonly table:
    | Table
    | "erc20_balances"
    | FirstSeenTable
    | HoldingTable
    | "icm_messages"
    | "raw_blocks"
    | "raw_traces";
  /** The block of the rows; null for all rows of a table that are computed from several blocks. */
  readonly blockNumber: number | null;
  readonly isRepaired: boolean;
  /** One of the rows, if examples were requested; of several blocks with gaps in a table, the first has one. */
  readonly example?: Example;
}

export interface GapsFound {
  readonly gaps: readonly Gap[];
  /** Whether the chain has call trees; null if no indexer has stored that yet. */
  readonly traces: CapabilityState | null;
  /** Blocks that were indexed without call trees. */
  readonly untraced: readonly BlockRange[];
}

export const rawGap = (table: "raw_blocks" | "raw_traces", blockNumber: number, isRepaired: boolean): Gap => ({
  table,
  blockNumber,
  expected: 1,
  found: 0,
  wrong: 0,
  isRepaired,
});
