import { Failure } from "../../../core/errors/errors.ts";
import { pageOf, requireHeads } from "../../../core/graph/page.ts";
import { requireIndexedBlock } from "../chains/indexed-block.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { checkedPage } from "../page-tokens/checked-page.ts";
import type { HoldersByAddress, HoldersByAddressKey } from "./by-address.ts";
import { completed } from "./completed.ts";
import { MAX_CANDIDATES, MAX_FURTHER_STATEMENTS } from "./keys.ts";
import type { HolderOrder } from "./order.ts";
import type { Holder, HoldersKey, StoredHolders } from "./store.ts";

export interface HoldersRequest {
  /** Name of the list, to which page tokens belong. */
  readonly list: string;
  readonly token: { readonly chainId: string; readonly address: string };
  /** Block number; null selects the last indexed block. */
  readonly blockNumber: string | null;
  readonly page: { readonly size: number; readonly pageToken?: string | null; readonly orderBy: HolderOrder };
  readonly load: {
    byBalance(key: HoldersKey): Promise<StoredHolders | null>;
    byAddress(key: HoldersByAddressKey): Promise<HoldersByAddress | null>;
  };
}

export interface HoldersPage {
  readonly holders: readonly Holder[];
  readonly nextPageToken: string | null;
  readonly blockHash: string | null;
}

/**
 * Reads a page of the holders of a token. Throws `INVALID_PARAMETER` for an invalid page, for a block that is not indexed, and for
 * a page that the order BALANCE cannot determine. Throws `UNAVAILABLE` if the chain is not indexed.
 */
export async function readHolders(request: HoldersRequest, context: MetricsContext): Promise<HoldersPage> {
  const { list, token, blockNumber, page } = request;
  const parameters = [token.chainId, token.address, blockNumber, page.orderBy];
  const { size, before } = await checkedPage({ list, parameters, page }, context);
  const read = page.orderBy === "ADDRESS" ? readByAddress : readByBalance;
  const { holders, blockHash, next, head } = await read(request, size, before?.cursor ?? null, context);
  if (before) requireHeads([before.head], [head]);
  return {
    holders,
    nextPageToken: next && (await context.load.newPageToken({ list, parameters, cursor: next, head })),
    blockHash,
  };
}

interface Found {
  readonly holders: readonly Holder[];
  readonly blockHash: string | null;
  /** Cursor of the next page; null on the last page. */
  readonly next: string | null;
  /** The last indexed block. */
  readonly head: string;
}

async function readByBalance(
  { token: { chainId, address: tokenAddress }, blockNumber, load }: HoldersRequest,
  size: number,
  cursor: string | null,
  context: MetricsContext,
): Promise<Found> {
  const [balanceBefore = null, addressBefore = null] = cursor?.split(" ") ?? [];
  const key = { chainId, tokenAddress, blockNumber, balanceBefore, addressBefore, size: size + 1 };
  const found = await requireIndexed(chainId, await load.byBalance(key), context, `chain ${chainId}`);
  requireIndexedBlock(blockNumber, found.head);
  if (found.isCut)
    throw new Failure(
      "INVALID_PARAMETER",
      `orderBy must be ADDRESS to list all holders after block ${blockNumber}: BALANCE examines only the ${MAX_CANDIDATES} addresses with the highest balances ever, which are not enough to determine this page`,
    );
  const { items, nextPageToken } = pageOf([...found.holders], size, (last) => `${last.balance} ${last.address}`);
  return { holders: items, blockHash: found.blockHash, next: nextPageToken, head: found.head };
}

async function readByAddress(
  { token: { chainId, address: tokenAddress }, blockNumber, load }: HoldersRequest,
  size: number,
  cursor: string | null,
  context: MetricsContext,
): Promise<Found> {
  const loadPart = async (addressBefore: string | null, size: number): Promise<HoldersByAddress> => {
    const part = await load.byAddress({ chainId, tokenAddress, blockNumber, addressBefore, size });
    const found = await requireIndexed(chainId, part, context, `chain ${chainId}`);
    requireIndexedBlock(blockNumber, found.head);
    return found;
  };
  const found = await loadPart(cursor, size + 1);
  const { holders, nextPlace } = await completed(found, size + 1, loadPart, MAX_FURTHER_STATEMENTS);
  const { items, nextPageToken } = pageOf(holders, size, ({ address }) => address);
  return { holders: items, blockHash: found.blockHash, next: nextPageToken ?? nextPlace, head: found.head };
}
