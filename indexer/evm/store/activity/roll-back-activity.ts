import type { Session } from "../../../shared/writer.ts";
import { addressesAbove, type RemovedAddress, restoreAddresses } from "./addresses.ts";
import { addToPeriods } from "./period-figures.ts";

/** Sums of the blocks above `ancestor`, read before their rows are deleted. */
export interface RemovedBlocks {
  readonly ancestor: number;
  readonly blocks: ReadonlyMap<string, BlockSums>;
  readonly addresses: readonly RemovedAddress[];
}

interface BlockSums extends Record<string, string | number> {
  block_number: string;
  tx_count: number;
  gas_used: string;
  fees_spent: string;
}

/** Reads what `rollBackActivity` needs of the blocks above `ancestor`, before their rows are deleted. */
export async function loadRemoved(session: Session, chainId: string, ancestor: number): Promise<RemovedBlocks> {
  const blocks = await session.query<BlockSums>(
    "SELECT block_number, tx_count, gas_used, fees_spent FROM evm_blocks WHERE chain_id = $1 AND block_number > $2",
    [chainId, ancestor],
  );
  const addresses = await addressesAbove(session, chainId, ancestor);
  return { ancestor, blocks: new Map(blocks.map((block) => [block.block_number, block])), addresses };
}

interface BlockActivity extends Record<string, string | number> {
  block_number: string;
  block_timestamp: string;
  active_in_hour: number;
  active_in_day: number;
  active_in_week: number;
  active_in_month: number;
  new_addresses: number;
  new_contracts: number;
  erc20_transfers: number;
}

/**
 * Subtracts the removed blocks from all counts, and deletes their rows in `evm_block_activity`. Their transactions must be deleted
 * already. The caller's transaction must have locked the
 * chain's row in `chain_heads`.
 */
export async function rollBackActivity(
  session: Session,
  chainId: string,
  { ancestor, blocks, addresses }: RemovedBlocks,
): Promise<void> {
  const removed = await session.query<BlockActivity>(
    "DELETE FROM evm_block_activity WHERE chain_id = $1 AND block_number > $2 RETURNING *",
    [chainId, ancestor],
  );
  const figures = removed.map((row) => {
    const sums = blocks.get(row.block_number);
    return {
      ...row,
      timestamp: Number(row.block_timestamp),
      active: [row.active_in_hour, row.active_in_day, row.active_in_week, row.active_in_month],
      blocks: 1,
      transactions: sums?.tx_count ?? 0,
      gas_used: BigInt(sums?.gas_used ?? 0),
      fees_spent: BigInt(sums?.fees_spent ?? 0),
    };
  });
  await addToPeriods(session, chainId, figures, -1n);
  await session.query("DELETE FROM evm_activity WHERE chain_id = $1 AND blocks = 0", [chainId]);
  await restoreAddresses(session, chainId, ancestor, addresses);
}
