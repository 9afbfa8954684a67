import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import { type BalanceTable, loadBalances, storeBalances } from "./current-balances.ts";
import { type BlockBalances, changedPairs, type HolderChanges, holderChanges } from "./holder-changes.ts";

/** The changes, and the balances before the first block by token and address concatenated. */
export interface ChangedHolders extends HolderChanges {
  readonly before: ReadonlyMap<string, bigint>;
}

/** Adds the changes of blocks to the current balances of holders in a table whose key is the address and the token. */
export async function changeHolders(
  session: Session,
  table: BalanceTable,
  chainId: string,
  blocks: readonly BlockBalances[],
): Promise<ChangedHolders> {
  const pairs = changedPairs(blocks);
  const keys = pairs.map(([token, address]) => [pgBytes(address), pgBytes(token)]);
  const stored = await loadBalances(session, table, chainId, keys);
  const before = new Map(pairs.map(([token, address], i) => [token + address, stored[i] ?? 0n]));
  const changes = holderChanges(blocks, (token, address) => before.get(token + address) ?? 0n);
  const steps = changes.holders.map(({ token, address, before, after }) => ({
    key: [pgBytes(address), pgBytes(token)],
    before,
    after,
  }));
  await storeBalances(session, table, chainId, steps);
  return { ...changes, before };
}
