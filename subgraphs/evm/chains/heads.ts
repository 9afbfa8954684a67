import { type Database, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import type { IndexedBlock } from "../../shared/rows/selected-block.ts";

/** The last indexed block of a chain. */
export interface Head extends IndexedBlock {
  readonly chainId: string;
}

/** Finds the last indexed blocks of chains in one statement. Chains without an indexed block are left out. */
export type FindHeads = (keys: readonly Pick<Head, "chainId">[], work: Work) => Promise<Head[]>;

/** The table has no partitions. */
const HEADS = `SELECT chain_id AS "chainId", block_number AS "blockNumber", block_timestamp AS "blockTimestamp",
    block_hash AS "blockHash"
  FROM chain_heads WHERE chain_id = ANY ($1::bigint[]) AND block_number >= 0`;

export function createFindHeads({ pool }: Pick<Database, "pool">): FindHeads {
  const heads = prepared<{ [Name in keyof Head]: Head[Name] }>(pool, "heads-of-chains", HEADS);
  return (keys, work) => heads([keys.map(({ chainId }) => chainId)], work);
}

/** The numbers of the last indexed blocks of chains, in the order of their ids; -1 for a chain without one. */
export type NumbersOf = (chainIds: readonly string[]) => string[];

/** Returns a function that reads the last indexed blocks of chains for lists over several chains, in one statement. */
export function createHeadNumbers(database: Pick<Database, "pool">) {
  const findHeads = createFindHeads(database);
  return async (chainIds: readonly string[], work: Work): Promise<NumbersOf> => {
    const heads = await findHeads(
      chainIds.map((chainId) => ({ chainId })),
      work,
    );
    const numbers = new Map(heads.map(({ chainId, blockNumber }) => [chainId, blockNumber]));
    return (ids) => ids.map((chainId) => numbers.get(chainId) ?? "-1");
  };
}

/**
 * Returns `row`. Throws `UNAVAILABLE` if there is no row: the first block of the chain was indexed after the row had been looked for, and
 * before the chain was found to be indexed.
 */
export function requireBlock<Row>(chainId: string, row: Row | undefined | null): Row {
  if (row) return row;
  throw new Failure("UNAVAILABLE", `chain ${chainId} has no indexed block yet`);
}
