import type { RawBlock } from "../wire/blocks.ts";
import { bytes, integer } from "../wire/values.ts";
import { bigintValue } from "./row-values.ts";

/** Values that the rows of a block share. Hashes are hex without `0x`. */
export interface BlockColumns {
  readonly number: number;
  readonly hash: string;
  readonly timestamp: number | bigint;
}

/** Values that the rows of a transaction share. Hashes are hex without `0x`. */
export interface TransactionColumns {
  readonly index: number;
  readonly hash: string;
}

/** A log whose fields were checked; address, topics and data are hex without `0x`. */
export interface Log {
  readonly index: number;
  readonly transaction: TransactionColumns;
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export function blockColumns({ block }: RawBlock): BlockColumns {
  return {
    number: integer(block.number, "number of a block"),
    hash: bytes(block.hash, "hash of a block", 32),
    timestamp: bigintValue(block.timestamp, "timestamp"),
  };
}
