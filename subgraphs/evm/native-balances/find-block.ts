import { type Database, type PreparedStatement, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import { bigint } from "../../shared/rows/text-rows.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import type { NativeTokenBalanceArgs } from "./types.ts";

/** An indexed block. */
export interface IndexedBlock {
  readonly blockNumber: string;
  readonly blockTimestamp: string;
  readonly blockHash: string;
}

/**
 * Finds the block that a request selects by number or timestamp, by default the last indexed one. One statement. Throws
 * `INVALID_PARAMETER` if the block is not indexed or if the request has both, and `UNAVAILABLE` if the chain has no indexed block.
 */
export type FindBlock = (
  chainId: string,
  selector: Pick<NativeTokenBalanceArgs, "blockNumber" | "blockTimestamp">,
  work: Work,
) => Promise<IndexedBlock>;

interface SelectedRow {
  readonly headNumber: string;
  readonly headTimestamp: string;
  /** Null if no block matches. */
  readonly blockNumber: string | null;
  readonly blockTimestamp: string;
  readonly blockHash: string;
}

/** The last block of a chain, and the block that matches a condition. */
const select = (
  condition: string,
): string => `SELECT h.block_number AS "headNumber", h.block_timestamp AS "headTimestamp",
    b.block_number AS "blockNumber", b.block_timestamp AS "blockTimestamp", b.block_hash AS "blockHash"
  FROM chain_heads h LEFT JOIN LATERAL (
    SELECT block_number, block_timestamp, block_hash FROM evm_blocks WHERE chain_id = $1 AND ${condition}
  ) b ON true WHERE h.chain_id = $1 AND h.block_number >= 0`;

const BY_NUMBER = select("block_number = $2");
const BY_TIMESTAMP = select("block_timestamp <= $2 ORDER BY block_timestamp DESC, block_number DESC LIMIT 1");

const HEAD = `SELECT block_number AS "blockNumber", block_timestamp AS "blockTimestamp", block_hash AS "blockHash"
  FROM chain_heads WHERE chain_id = $1 AND block_number >= 0`;

export function createFindBlock({ pool }: Pick<Database, "pool">): FindBlock {
  const byNumber = prepared<SelectedRow>(pool, "native-balance-block-by-number", BY_NUMBER);
  const byTimestamp = prepared<SelectedRow>(pool, "native-balance-block-by-timestamp", BY_TIMESTAMP);
  const head = prepared<IndexedBlock>(pool, "native-balance-head", HEAD);
  const requireIndexed = createRequireIndexed({ pool });
  const found = async <Row>(chainId: string, rows: Promise<Row[]>, work: Work): Promise<Row> => {
    const [row] = await rows;
    if (!row) await requireIndexed(chainId, work);
    return requireBlock(chainId, row);
  };
  return async (chainId, { blockNumber = null, blockTimestamp = null }, work) => {
    if (blockNumber !== null && blockTimestamp !== null)
      throw new Failure("INVALID_PARAMETER", "blockNumber and blockTimestamp must not both be given");
    const selectedBy = (select: PreparedStatement<SelectedRow>, value: string) =>
      found(chainId, select([chainId, bigint(value)], work), work);
    if (blockNumber !== null) return selectedByNumber(blockNumber, await selectedBy(byNumber, blockNumber));
    if (blockTimestamp !== null)
      return selectedByTimestamp(blockTimestamp, await selectedBy(byTimestamp, blockTimestamp));
    return found(chainId, head([chainId], work), work);
  };
}

export interface Head extends IndexedBlock {
  readonly chainId: string;
}

/** Finds the last indexed blocks of chains in one statement. Chains without an indexed block are left out. */
export type FindHeads = (keys: readonly { readonly chainId: string }[], work: Work) => Promise<Head[]>;

const HEADS = `SELECT chain_id AS "chainId", block_number AS "blockNumber", block_timestamp AS "blockTimestamp",
    block_hash AS "blockHash"
  FROM chain_heads WHERE chain_id = ANY ($1::bigint[]) AND block_number >= 0`;

export function createFindHeads({ pool }: Pick<Database, "pool">): FindHeads {
  const heads = prepared<{ [Name in keyof Head]: Head[Name] }>(pool, "heads-of-chains", HEADS);
  return (keys, work) => heads([keys.map(({ chainId }) => chainId)], work);
}

/**
 * Returns `row`. Throws `UNAVAILABLE` if there is no row: the first block of the chain was indexed after the row had been looked for, and
 * before the chain was found to be indexed.
 */
export function requireBlock<Row>(chainId: string, row: Row | undefined | null): Row {
  if (row) return row;
  throw new Failure("UNAVAILABLE", `chain ${chainId} has no indexed block yet`);
}

function selectedByNumber(blockNumber: string, row: SelectedRow): IndexedBlock {
  return requireSelected(
    row,
    `blockNumber must be at most ${row.headNumber}, the last indexed block, got ${blockNumber}`,
  );
}

function selectedByTimestamp(blockTimestamp: string, row: SelectedRow): IndexedBlock {
  const { headNumber, headTimestamp } = row;
  if (BigInt(blockTimestamp) > BigInt(headTimestamp))
    throw new Failure(
      "INVALID_PARAMETER",
      `blockTimestamp must be at most ${headTimestamp}, the timestamp of the last indexed block ${headNumber}, got ${blockTimestamp}`,
    );
  return requireSelected(row, `blockTimestamp must not be before the chain's first block, got ${blockTimestamp}`);
}

function requireSelected(row: SelectedRow, message: string): IndexedBlock {
  if (row.blockNumber === null) throw new Failure("INVALID_PARAMETER", message);
  const { blockNumber, blockTimestamp, blockHash } = row;
  return { blockNumber, blockTimestamp, blockHash };
}
