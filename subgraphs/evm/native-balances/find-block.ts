import { type Database, prepared } from "../../../core/database.ts";
import { Failure } from "../../../core/errors.ts";
import { bigint } from "../../shared/rows.ts";
import type { NativeTokenBalanceArgs } from "./types.ts";

/** A block that is indexed. */
export interface IndexedBlock {
  readonly blockNumber: string;
  readonly blockTimestamp: string;
  readonly blockHash: string;
}

/** The block that a caller means; one statement. Throws `INVALID_PARAMETER` for one that is not indexed. */
export type FindBlock = (
  chainId: string,
  asked: Pick<NativeTokenBalanceArgs, "blockNumber" | "blockTimestamp">,
) => Promise<IndexedBlock>;

interface Found {
  readonly headNumber: string;
  readonly headTimestamp: string;
  /** Null where no block is meant by what was asked. */
  readonly blockNumber: string | null;
  readonly blockTimestamp: string;
  readonly blockHash: string;
}

/** The last block of a chain, beside it the one that is meant. */
const found = (meant: string): string => `SELECT h.block_number AS "headNumber", h.block_timestamp AS "headTimestamp",
    b.block_number AS "blockNumber", b.block_timestamp AS "blockTimestamp", b.block_hash AS "blockHash"
  FROM chain_heads h LEFT JOIN LATERAL (
    SELECT block_number, block_timestamp, block_hash FROM evm_blocks WHERE chain_id = $1 AND ${meant}
  ) b ON true WHERE h.chain_id = $1 AND h.block_number >= 0`;

const BY_NUMBER = found("block_number = $2");
const BY_TIMESTAMP = found("block_timestamp <= $2 ORDER BY block_timestamp DESC, block_number DESC LIMIT 1");

const HEAD = `SELECT block_number AS "blockNumber", block_timestamp AS "blockTimestamp", block_hash AS "blockHash"
  FROM chain_heads WHERE chain_id = $1 AND block_number >= 0`;

export function createFindBlock({ pool }: Pick<Database, "pool">): FindBlock {
  const byNumber = prepared<Found>(pool, "native-balance-block-by-number", BY_NUMBER);
  const byTimestamp = prepared<Found>(pool, "native-balance-block-by-timestamp", BY_TIMESTAMP);
  const head = prepared<IndexedBlock>(pool, "native-balance-head", HEAD);
  return async (chainId, { blockNumber = null, blockTimestamp = null }) => {
    if (blockNumber !== null && blockTimestamp !== null)
      throw new Failure("INVALID_PARAMETER", "blockNumber and blockTimestamp must not be given both");
    if (blockNumber !== null) return numbered(chainId, blockNumber, await byNumber([chainId, bigint(blockNumber)]));
    if (blockTimestamp !== null)
      return timed(chainId, blockTimestamp, await byTimestamp([chainId, bigint(blockTimestamp)]));
    return indexed(chainId, (await head([chainId]))[0]);
  };
}

function indexed<Row>(chainId: string, row: Row | undefined): Row {
  if (row) return row;
  throw new Failure("UNAVAILABLE", `chain ${chainId} has no indexed block yet`);
}

function numbered(chainId: string, asked: string, [row]: readonly Found[]): IndexedBlock {
  const { headNumber } = indexed(chainId, row);
  return meant(row, `blockNumber must be at most ${headNumber}, the last indexed block, got ${asked}`);
}

function timed(chainId: string, asked: string, [row]: readonly Found[]): IndexedBlock {
  const { headNumber, headTimestamp } = indexed(chainId, row);
  if (BigInt(asked) > BigInt(headTimestamp))
    throw new Failure(
      "INVALID_PARAMETER",
      `blockTimestamp must be at most ${headTimestamp}, the time of the last indexed block ${headNumber}, got ${asked}`,
    );
  return meant(row, `blockTimestamp must not be before the chain's first block, got ${asked}`);
}

function meant(row: Found | undefined, refusal: string): IndexedBlock {
  if (!row || row.blockNumber === null) throw new Failure("INVALID_PARAMETER", refusal);
  const { blockNumber, blockTimestamp, blockHash } = row;
  return { blockNumber, blockTimestamp, blockHash };
}
