import type { Database } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import { createFindEvmBlocksAt } from "../../shared/rows/evm-blocks-at.ts";
import { type IndexedBlock, requireSelected } from "../../shared/rows/selected-block.ts";
import { createFindHeads, requireBlock } from "../chains/heads.ts";
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

export function createFindBlock(database: Pick<Database, "pool">): FindBlock {
  const blocksAt = createFindEvmBlocksAt(database);
  const heads = createFindHeads(database);
  const requireIndexed = createRequireIndexed(database);
  const found = async <Row>(chainId: string, rows: Promise<Row[]>, work: Work): Promise<Row> => {
    const [row] = await rows;
    if (!row) await requireIndexed(chainId, work);
    return requireBlock(chainId, row);
  };
  return async (chainId, { blockNumber: block = null, blockTimestamp: time = null }, work) => {
    if (block !== null && time !== null)
      throw new Failure("INVALID_PARAMETER", "blockNumber and blockTimestamp must not both be given");
    if (block === null && time === null) return found(chainId, heads([{ chainId }], work), work);
    const selected = await found(chainId, blocksAt([{ chainId, block, time }], work), work);
    return requireSelected(selected, { block, time }, NAMES);
  };
}
