import { allEnded } from "../../../shared/all-ended.ts";
import { copiesOf } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";
import { balancesOf, runningBalances } from "../balances.ts";
import { addToErc20Holders, restoreErc20Holders } from "./erc20-holders.ts";
import { type BlockBalances, holderChanges, type SupplyChange, supplyChanges } from "./holder-changes.ts";
import { deleteSupplies, insertSupplies } from "./supplies.ts";
import { addTokenCounts, removedTransfers, removeTokenCounts } from "./token-counts.ts";

/** What a block changes of ERC-20 tokens. */
export interface Erc20Block extends BlockBalances {
  /** How many transfers of each token (hex without `0x`) the block has. */
  readonly erc20TransferCounts: ReadonlyMap<string, number>;
}

/**
 * Stores the balances after each of these blocks, which must follow all stored ones, and what the blocks change of the holders,
 * supplies and counters of ERC-20 tokens. At most five statements and two COPYs.
 */
export async function insertErc20Holdings(
  session: Session,
  chainId: string,
  blocks: readonly Erc20Block[],
): Promise<void> {
  const changes = await insertBalances(session, chainId, blocks);
  const transfers = new Map<string, number>();
  for (const { erc20TransferCounts } of blocks)
    for (const [token, count] of erc20TransferCounts) transfers.set(token, (transfers.get(token) ?? 0) + count);
  const tokens = changes.map(({ token }) => token);
  await addTokenCounts(session, "erc20_counts", chainId, transfers, tokens);
}

/** Returns what each block changes of the supplies. */
async function insertBalances(
  session: Session,
  chainId: string,
  blocks: readonly BlockBalances[],
): Promise<readonly SupplyChange[]> {
  if (blocks.every(({ balances }) => balances.length === 0)) return [];
  const holders = await addToErc20Holders(session, chainId, holderChanges(blocks));
  const { rows } = runningBalances(blocks, holders);
  const changes = supplyChanges(blocks, balancesOf(holders));
  await allEnded({
    supplies: insertSupplies(session, "erc20_supplies", chainId, changes),
    balances: session.copy(copiesOf("erc20_balances", chainId, [...rows.values()].flat())),
  });
  return changes;
}

/** Restores the holders, supplies and counters of ERC-20 tokens as they were after block `ancestor`. Reads the balances above it. */
export async function rollBackErc20Holdings(session: Session, chainId: string, ancestor: number): Promise<void> {
  const removed = await session.query<{ holder_id: number; token: string }>(
    `SELECT h.holder_id, encode(h.token_address, 'hex') AS token
     FROM (SELECT DISTINCT holder_id FROM erc20_balances WHERE chain_id = $1 AND block_number > $2::bigint) AS b
       JOIN erc20_holders h ON h.chain_id = $1 AND h.holder_id = b.holder_id`,
    [chainId, ancestor],
  );
  const holderIds = removed.map(({ holder_id }) => holder_id);
  await restoreErc20Holders(session, chainId, ancestor, holderIds);
  const tokens = [...new Set(removed.map(({ token }) => token))];
  await deleteSupplies(session, "erc20_supplies", chainId, ancestor, tokens);
  const transfers = await removedTransfers(session, "erc20_counts", chainId, ancestor);
  await removeTokenCounts(session, "erc20_counts", chainId, transfers, tokens);
}
