import type { Work } from "../../../core/work/work.ts";
import type { Part } from "../../shared/rows/completed.ts";
import type { EvmAddress } from "./types.ts";

/** Maximum number of tokens that one statement considers for a page. It reads the history of a token if its balance changed later. */
export const MAX_TOKENS = 1_000;

/** The first `size` tokens that an address held after a block, beside a token in a direction of the list. */
export interface HoldingsAtBlockKey extends EvmAddress {
  readonly blockNumber: string;
  /** The item beside the page: values of the columns of the order, separated by spaces. Null if the page is at an end of the list. */
  readonly after: string | null;
  /** True for the tokens before that one, nearest first. */
  readonly isBackward: boolean;
  readonly size: number;
}

export interface HoldingsAtBlock<Row> extends HoldingsAtBlockKey, Part<Row, string> {
  /** The last indexed block. */
  readonly head: string;
  /** Hash of the block after which the address held these tokens; null if the block is not indexed. */
  readonly blockHash: string | null;
}

/** Reads the pages of keys in one statement for each chain. Keys of chains that are not indexed are left out. */
export type HoldingsAtBlocks<Row> = (
  keys: readonly HoldingsAtBlockKey[],
  work: Work,
) => Promise<HoldingsAtBlock<Row>[]>;
