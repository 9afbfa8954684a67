import { requireHeads } from "../../../core/graph/page.ts";
import { completed } from "../../shared/rows/completed.ts";
import { COUNT_LIMIT, totalOf } from "../../shared/rows/list-reader.ts";
import { type HoldingsPage, readHoldings, requireCounted } from "../addresses/holding-pages.ts";
import type { EvmAddress } from "../addresses/types.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { checkedPage } from "../page-tokens/checked-page.ts";
import { parametersOfAt, pinnedCursor, pinnedPage, requirePinned } from "../page-tokens/pinned-block.ts";
import { storedPageOf } from "../page-tokens/stored-page.ts";
import { type HoldingsAtBlock, type HoldingsAtBlockKey, MAX_FURTHER_STATEMENTS } from "./at-blocks.ts";
import type { Erc20BalanceRow } from "./store.ts";
import type { Erc20BalancesArgs } from "./types.ts";

const LIST = "erc20Balances";

export interface BalancesPage extends HoldingsPage<Erc20BalanceRow> {
  /** Timestamp of the block that the request selects; null for the last indexed block. */
  readonly pricedAt: string | null;
}

/** Reads a page of the tokens that an address holds now. Throws like `readHoldings`. */
export async function readCurrentBalances(
  address: EvmAddress,
  page: Erc20BalancesArgs,
  context: MetricsContext,
): Promise<BalancesPage> {
  const cursorOf = ({ tokenAddress }: Erc20BalanceRow) => tokenAddress;
  const request = { list: LIST, load: context.load.erc20Balances, cursorOf, page };
  return { ...(await readHoldings(address, request, context)), pricedAt: null };
}

/**
 * Reads a page of the tokens that an address held after the block that `asked.at` selects. Throws like `readHoldings`, and
 * `INVALID_PARAMETER` for a block that is not indexed.
 */
export async function readPastBalances(
  address: EvmAddress,
  asked: Erc20BalancesArgs,
  context: MetricsContext,
): Promise<BalancesPage> {
  requireCounted(address);
  const { chainId } = address;
  const list = `${LIST} at`;
  const parameters = [chainId, address.address, ...parametersOfAt(asked.at)];
  const { size, isBackward, start } = await checkedPage({ list, parameters, page: asked }, context);
  const { block, cursor } = await pinnedPage(chainId, asked.at, start?.cursor ?? null, context);
  const { blockNumber = "", blockHash = null, blockTimestamp = null } = block ?? {};
  const load = async (
    part: Pick<HoldingsAtBlockKey, "tokenAddress" | "isBackward" | "size">,
  ): Promise<HoldingsAtBlock> => {
    const found = await context.load.erc20BalancesAtBlock({ chainId, address: address.address, blockNumber, ...part });
    const balances = await requireIndexed(chainId, found, context, `chain ${chainId}`);
    if (start) requireHeads([start.head], [balances.head]);
    requirePinned(block, balances);
    return balances;
  };
  const loadPart = (tokenAddress: string | null, size: number) => load({ tokenAddress, isBackward, size });
  const first = await loadPart(cursor, size + 1);
  const { items, nextPlace } = await completed(first, size + 1, loadPart, MAX_FURTHER_STATEMENTS);
  const page = storedPageOf(
    items,
    {
      size,
      isBackward,
      isContinued: start !== null,
      list,
      parameters,
      positionOf: ({ tokenAddress }) => pinnedCursor(block, tokenAddress),
      nextPlace: nextPlace && pinnedCursor(block, nextPlace),
      head: first.head,
      async count() {
        const { items, lastCandidate } = await load({ tokenAddress: null, isBackward: false, size: COUNT_LIMIT });
        return lastCandidate === null ? totalOf(items.length) : { count: String(items.length), isExact: false };
      },
    },
    context,
  );
  return { page, blockHash, pricedAt: blockTimestamp };
}
