import { requireTraces } from "../../../core/networks/trace-coverage.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { EvmContext } from "../context.ts";
import type { AddressTransfersArgs } from "../ranged-lists/args.ts";
import { pageOfAddress } from "../ranged-lists/page-in-range.ts";
import { rangeOf } from "../ranged-lists/range.ts";
import { coveredTimes } from "./trace-coverage.ts";
import type { EvmInternalTransactionConnection } from "./types.ts";

/**
 * Reads a page of the internal transactions of an address on a chain. Throws `NOT_FOUND` if tracing is off for the chain, and `UNAVAILABLE` if
 * a block that the page covers is not traced, or if no block of the chain is indexed.
 */
export async function internalTransactionsOf(
  { chainId, address }: { readonly chainId: string; readonly address: string },
  args: AddressTransfersArgs,
  context: EvmContext,
): Promise<EvmInternalTransactionConnection> {
  const { internalTransactionsOfAddress, traceCoverage } = context.load;
  const page = await pageOfAddress([chainId, bytea(address)], internalTransactionsOfAddress, args, context);
  const [fromBlock, toBlock, ...times] = rangeOf(args.filter ?? {});
  const [fromTime, toTime] = coveredTimes(page, args, times);
  requireTraces(chainId, await traceCoverage({ chainId, fromBlock, toBlock, fromTime, toTime }));
  return page;
}
