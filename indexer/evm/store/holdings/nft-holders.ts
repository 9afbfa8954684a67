import type { Session } from "../../../shared/writer.ts";
import { loadBalances, NFT_HOLDERS, storeBalances } from "./current-balances.ts";
import { type BlockBalances, holderChanges, type SupplyChange, supplyChanges } from "./holder-changes.ts";

/** Adds the changes of blocks to the holders of NFT collections. Returns what each block changes of the supplies. */
export async function changeNftHolders(
  session: Session,
  chainId: string,
  blocks: readonly BlockBalances[],
): Promise<SupplyChange[]> {
  const changes = holderChanges(blocks);
  const keys = changes.map(({ token, address }) => [token, address]);
  const stored = await loadBalances(session, NFT_HOLDERS, chainId, keys);
  const steps = changes.map(({ amount }, i) => {
    const before = stored[i] ?? 0n;
    return { key: keys[i] ?? [], before, after: before + amount };
  });
  await storeBalances(session, NFT_HOLDERS, chainId, steps);
  return supplyChanges(blocks, new Map(changes.map(({ pair }, i) => [pair, stored[i] ?? 0n])));
}
