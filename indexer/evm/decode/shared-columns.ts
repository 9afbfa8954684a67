import { pgBytes } from "../../shared/pg-bytes.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { bytes, integer } from "../wire/values.ts";
import { bigintText } from "./row-values.ts";

/** Values that the rows of a block share, as PostgreSQL texts. */
export interface BlockColumns {
  readonly chainId: string;
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
}

/** Values that the rows of a transaction share, as PostgreSQL texts. */
export interface TransactionColumns {
  readonly index: string;
  readonly hash: string;
}

/** A log whose fields were checked; address, topics and data are hex without `0x`. */
export interface Log {
  readonly index: string;
  readonly transaction: TransactionColumns;
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export function blockColumns(chainId: string, { block }: RawBlock): BlockColumns {
  return {
    chainId,
    number: String(integer(block.number, "block number")),
    hash: pgBytes(bytes(block.hash, "block hash", 32)),
    timestamp: bigintText(block.timestamp, "timestamp"),
  };
}
