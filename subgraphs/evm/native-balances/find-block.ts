import { type Database, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import { createFindEvmBlocksAt } from "../../shared/rows/evm-blocks-at.ts";
import { type IndexedBlock, requireSelected } from "../../shared/rows/selected-block.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import type { NativeTokenBalanceArgs } from "./types.ts";

/**
 * Finds the block that a request selects by number or timestamp, by default the last indexed one. One statement. Throws
 * `INVALID_PARAMETER` if the block is not indexed or if the request has both, and `UNAVAILABLE` if the chain has no indexed block.
 */
export type FindBlock = (
  chainId: string,
  selector: Pick<NativeTokenBalanceArgs, "blockNumber" | "blockTimestamp">,
  work: Work,
) => Promise<IndexedBlock>;

/** Names of the arguments of `nativeTokenBalance`. */
const NAMES = { block: "blockNumber", time: "blockTimestamp" } as const;

const HEAD = `SELECT block_number AS "blockNumber", block_timestamp AS "blockTimestamp", block_hash AS "blockHash"
  FROM chain_heads WHERE chain_id = $1 AND block_number >= 0`;

export function createFindBlock(database: Pick<Database, "pool">): FindBlock {
  const blocksAt = createFindEvmBlocksAt(database);
  const head = prepared<IndexedBlock & Record<string, string>>(database.pool, "native-balance-head", HEAD);
  const requireIndexed = createRequireIndexed(database);
  const found = async <Row>(chainId: string, rows: Promise<Row[]>, work: Work): Promise<Row> => {
    const [row] = await rows;
    if (!row) await requireIndexed(chainId, work);
    return requireBlock(chainId, row);
  };
  return async (chainId, { blockNumber: block = null, blockTimestamp: time = null }, work) => {
    if (block !== null && time !== null)
      throw new Failure("INVALID_PARAMETER", "blockNumber and blockTimestamp must not both be given");
    if (block === null && time === null) return found(chainId, head([chainId], work), work);
    const selected = await found(chainId, blocksAt([{ chainId, block, time }], work), work);
    return requireSelected(selected, { block, time }, NAMES);
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
