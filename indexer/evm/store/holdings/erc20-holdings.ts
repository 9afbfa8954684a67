import { allEnded } from "../../../shared/all-ended.ts";
import { copiesOf } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";
import { balancesOf, runningBalances } from "../balances.ts";
import { addToErc20Holders, restoreErc20Holders } from "./erc20-holders.ts";
import { type BlockBalances, holderChanges, supplyChanges } from "./holder-changes.ts";
import { deleteSupplies, insertSupplies } from "./supplies.ts";

/**
 * Stores the balances after each of these blocks, which must follow all stored ones, and what the blocks change of the holders
 * and supplies of ERC-20 tokens. At most four statements and two COPYs.
 */
export async function insertErc20Holdings(
  session: Session,
  chainId: string,
  blocks: readonly BlockBalances[],
): Promise<void> {
  if (blocks.every(({ balances }) => balances.length === 0)) return;
  const holders = await addToErc20Holders(session, chainId, holderChanges(blocks));
  const { rows } = runningBalances(blocks, holders);
  await allEnded({
    supplies: insertSupplies(session, "erc20_supplies", chainId, supplyChanges(blocks, balancesOf(holders))),
    balances: session.copy(copiesOf("erc20_balances", chainId, [...rows.values()].flat())),
  });
}

/** Restores the holders and supplies of ERC-20 tokens as they were after block `ancestor`. Reads the balances above it. */
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
}
