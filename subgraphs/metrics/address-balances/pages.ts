import { type HoldingsPage, readHoldings } from "../addresses/holding-pages.ts";
import { readPastHoldings } from "../addresses/past-holding-pages.ts";
import type { EvmAddress } from "../addresses/types.ts";
import type { MetricsContext } from "../context.ts";
import type { Erc20BalanceRow } from "./store.ts";
import type { Erc20BalancesArgs } from "./types.ts";

const LIST = "erc20Balances";

const cursorOf = ({ tokenAddress }: Erc20BalanceRow): string => tokenAddress;

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
  const request = { list: LIST, load: context.load.erc20Balances, cursorOf, page };
  return { ...(await readHoldings(address, request, context)), pricedAt: null };
}

/** Reads a page of the tokens that an address held after the block that `page.at` selects. Throws like `readPastHoldings`. */
export async function readPastBalances(
  address: EvmAddress,
  page: Erc20BalancesArgs,
  context: MetricsContext,
): Promise<BalancesPage> {
  const request = { list: `${LIST} at`, at: page.at, load: context.load.erc20BalancesAtBlock, cursorOf, page };
  const { page: found, block } = await readPastHoldings(address, request, context);
  return { page: found, blockHash: block?.blockHash ?? null, pricedAt: block?.blockTimestamp ?? null };
}
