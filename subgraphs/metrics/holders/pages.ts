import { Failure } from "../../../core/errors/errors.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { TotalCount } from "../../../core/graph/connection-page.ts";
import { requireHeads } from "../../../core/graph/page.ts";
import { completed, MAX_FURTHER_STATEMENTS } from "../../shared/rows/completed.ts";
import type { StateAt } from "../../shared/schema/state-at.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { checkedPage } from "../page-tokens/checked-page.ts";
import { type MetricsPage, metricsPageOf } from "../page-tokens/metrics-page.ts";
import { parametersOfAt, pinnedCursor, pinnedPage, requirePinned } from "../page-tokens/pinned-block.ts";
import type { HoldersByAddress, HoldersByAddressKey } from "./by-address.ts";
import { MAX_CANDIDATES } from "./keys.ts";
import type { HolderOrder } from "./order.ts";
import type { Holder, HoldersKey, StoredHolders } from "./store.ts";

export interface HoldersRequest {
  /** Name of the list, to which page tokens belong. */
  readonly list: string;
  /** A token or a collection. Only ERC-1155 tokens have a token id. */
  readonly token: { readonly chainId: string; readonly address: string; readonly tokenId?: string | null };
  /** Null selects the last indexed block. */
  readonly at: StateAt | null | undefined;
  /** By default, holders are listed by balance if the list has this order. */
  readonly page: PageRange & { readonly orderBy?: HolderOrder | null };
  readonly load: {
    /** Null if the holders after a block have no order by balance. */
    readonly byBalance: ((key: HoldersKey) => Promise<StoredHolders | null>) | null;
    byAddress(key: HoldersByAddressKey): Promise<HoldersByAddress | null>;
  };
  /** Counts the holders. */
  readonly count: () => Promise<TotalCount>;
}

export interface HoldersPage {
  readonly page: MetricsPage<Holder>;
  readonly blockHash: string | null;
}

/**
 * Reads a page of the holders of a token. Throws `INVALID_PARAMETER` for an invalid page, for a block that is not indexed, and for
 * a page that the order BALANCE cannot determine, or an order that the list does not have. Throws `UNAVAILABLE` if the chain is not indexed.
 */
export async function readHolders(request: HoldersRequest, context: MetricsContext): Promise<HoldersPage> {
  const { list, token, at, page: asked, load, count } = request;
  const { chainId, address, tokenId } = token;
  const { orderBy = null } = asked;
  const order = orderBy ?? (load.byBalance === null ? "ADDRESS" : "BALANCE");
  const parameters = [chainId, address, ...(tokenId == null ? [] : [tokenId]), ...parametersOfAt(at), order];
  const isByAddress = order === "ADDRESS";
  const violations = isByAddress || load.byBalance !== null ? [] : [notByBalance()];
  const { size, isBackward, start } = checkedPage({ list, parameters, page: asked, violations }, context);
  const { block, cursor } = await pinnedPage(chainId, at, start?.cursor ?? null, context);
  const read = isByAddress ? readByAddress : readByBalance;
  const { holders, blockHash, nextPlace, head } = await read(
    request,
    { size, isBackward, cursor, blockNumber: block?.blockNumber ?? null },
    context,
  );
  if (start) requireHeads([start.head], [head]);
  requirePinned(block, { blockHash, head });
  const page = metricsPageOf(
    holders,
    {
      size,
      isBackward,
      isContinued: start !== null,
      list,
      parameters,
      positionOf: ({ balance, address }) => pinnedCursor(block, isByAddress ? address : `${balance} ${address}`),
      nextPlace: nextPlace && pinnedCursor(block, nextPlace),
      head,
      count,
    },
    context,
  );
  return { page, blockHash };
}

const notByBalance = (): Failure =>
  new Failure(
    "INVALID_PARAMETER",
    "orderBy must be ADDRESS with at: the holders of NFTs after a block are not listed by balance",
  );

interface Part {
  readonly size: number;
  readonly isBackward: boolean;
  readonly cursor: string | null;
  /** Null selects the last indexed block. */
  readonly blockNumber: string | null;
}

interface Found {
  /** One more than the size of the page, if there are so many. Nearest to the cursor first. */
  readonly holders: Holder[];
  readonly blockHash: string | null;
  /** The position after which the list continues, if the page ends before it is full; otherwise null. */
  readonly nextPlace: string | null;
  /** The last indexed block. */
  readonly head: string;
}

async function readByBalance(
  { token: { chainId, address: tokenAddress, tokenId = null }, load }: HoldersRequest,
  { size, isBackward, cursor, blockNumber }: Part,
  context: MetricsContext,
): Promise<Found> {
  const [balance = null, address = null] = cursor?.split(" ") ?? [];
  const key = { chainId, tokenAddress, tokenId, blockNumber, balance, address, isBackward, size: size + 1 };
  const found = await requireIndexed(chainId, (await load.byBalance?.(key)) ?? null, context, `chain ${chainId}`);
  if (found.isCut)
    throw new Failure(
      "INVALID_PARAMETER",
      `orderBy must be ADDRESS to list all holders after block ${blockNumber}: BALANCE examines only the ${MAX_CANDIDATES} addresses with the highest balances ever, which are not enough to determine this page`,
    );
  return { holders: [...found.holders], blockHash: found.blockHash, nextPlace: null, head: found.head };
}

async function readByAddress(
  { token: { chainId, address: tokenAddress, tokenId = null }, load }: HoldersRequest,
  { size, isBackward, cursor, blockNumber }: Part,
  context: MetricsContext,
): Promise<Found> {
  const loadPart = async (address: string | null, size: number): Promise<HoldersByAddress> => {
    const part = await load.byAddress({ chainId, tokenAddress, tokenId, blockNumber, address, isBackward, size });
    return requireIndexed(chainId, part, context, `chain ${chainId}`);
  };
  const found = await loadPart(cursor, size + 1);
  const { items: holders, nextPlace } = await completed(found, size + 1, loadPart, MAX_FURTHER_STATEMENTS);
  return { holders, blockHash: found.blockHash, nextPlace, head: found.head };
}
