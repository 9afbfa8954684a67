import { pageOf } from "../../../core/page.ts";
import { requireIndexedBlock } from "../chains/indexed-block.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { checkedPage } from "../page-tokens/checked-page.ts";
import type { Holder, HoldersKey, StoredHolders } from "./store.ts";

export interface HoldersRequest {
  /** Name of the list, to which page tokens belong. */
  readonly list: string;
  readonly token: { readonly chainId: string; readonly address: string };
  /** Block number; null selects the last indexed block. */
  readonly blockNumber: string | null;
  readonly page: { readonly size: number; readonly pageToken?: string | null };
  readonly load: (key: HoldersKey) => Promise<StoredHolders | null>;
}

export interface HoldersPage {
  readonly holders: readonly Holder[];
  readonly nextPageToken: string | null;
  readonly blockHash: string | null;
}

/** Reads a page of the holders of a token. Throws `INVALID_PARAMETER` with every violated rule, or `UNAVAILABLE`. */
export async function readHolders(
  { list, token: { chainId, address: tokenAddress }, blockNumber, page, load }: HoldersRequest,
  context: MetricsContext,
): Promise<HoldersPage> {
  const parameters = [chainId, tokenAddress, blockNumber];
  const { size, cursor } = await checkedPage({ list, parameters, page }, context);
  const [balanceBefore = null, addressBefore = null] = cursor?.split(" ") ?? [];
  const key = { chainId, tokenAddress, blockNumber, balanceBefore, addressBefore, size: size + 1 };
  const found = await requireIndexed(chainId, await load(key), context, `chain ${chainId}`);
  requireIndexedBlock(blockNumber, found.head);
  const { items, nextPageToken } = pageOf([...found.holders], size, (last) => `${last.balance} ${last.address}`);
  return {
    holders: items,
    nextPageToken: nextPageToken && (await context.load.newPageToken({ list, parameters, cursor: nextPageToken })),
    blockHash: found.blockHash,
  };
}
