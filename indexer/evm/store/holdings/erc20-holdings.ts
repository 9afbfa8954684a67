import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import { BALANCE_COLUMNS, runningBalances } from "../balances.ts";
import { changeHolders } from "./change-holders.ts";
import { ERC20_HOLDERS, loadBalances, storeBalances } from "./current-balances.ts";
import type { BlockBalances } from "./holder-changes.ts";
import { restorePeaks, storePeaks } from "./peaks.ts";
import { deleteSupplies, insertSupplies } from "./supplies.ts";

/**
 * Stores the balances after each of these blocks, which must follow all stored ones, and what the blocks change of the holders
 * and supplies of ERC-20 tokens. At most five statements and three COPYs.
 */
export async function insertErc20Holdings(
  session: Session,
  chainId: string,
  blocks: readonly BlockBalances[],
): Promise<void> {
  if (blocks.every(({ balances }) => balances.length === 0)) return;
  const { before, holders, supplies } = await changeHolders(session, ERC20_HOLDERS, chainId, blocks);
  const { rows } = runningBalances(chainId, blocks, before);
  await session.copy("erc20_balances", BALANCE_COLUMNS, [...rows.values()].flat());
  await storePeaks(session, chainId, holders);
  await insertSupplies(session, "erc20_supplies", chainId, supplies);
}

/** Restores the holders and supplies of ERC-20 tokens as they were after block `ancestor`. Reads the balances above it. */
export async function rollBackErc20Holdings(session: Session, chainId: string, ancestor: number): Promise<void> {
  const removed = await session.query<{ token: string; address: string; balance: string }>(
    `SELECT encode(k.token_address, 'hex') AS token, encode(k.address, 'hex') AS address,
       coalesce(earlier.balance, 0) AS balance
     FROM (SELECT DISTINCT token_address, address FROM erc20_balances WHERE chain_id = $1 AND block_number > $2) AS k
       LEFT JOIN LATERAL (SELECT balance FROM erc20_balances
         WHERE chain_id = $1 AND token_address = k.token_address AND address = k.address AND block_number <= $2
         ORDER BY block_number DESC LIMIT 1) AS earlier ON true`,
    [chainId, ancestor],
  );
  const keys = removed.map(({ token, address }) => [pgBytes(address), pgBytes(token)]);
  const stored = await loadBalances(session, ERC20_HOLDERS, chainId, keys);
  const steps = removed.map(({ balance }, i) => ({
    key: keys[i] ?? [],
    before: stored[i] ?? 0n,
    after: BigInt(balance),
  }));
  await storeBalances(session, ERC20_HOLDERS, chainId, steps);
  const pairs = removed.map(({ token, address }) => [token, address] as const);
  await restorePeaks(session, chainId, ancestor, pairs);
  const tokens = [...new Set(removed.map(({ token }) => token))];
  await deleteSupplies(session, "erc20_supplies", chainId, ancestor, tokens);
}
