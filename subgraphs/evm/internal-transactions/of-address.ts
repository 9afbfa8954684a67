import { requireTraces } from "../../../core/networks/trace-coverage.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { EvmContext } from "../context.ts";
import type { AddressTransfersArgs } from "../ranged-lists/args.ts";
import { directionOf } from "../ranged-lists/filters.ts";
import { rangeOf } from "../ranged-lists/range.ts";
import { coveredTimes } from "./trace-coverage.ts";
import type { EvmInternalTransactionConnection } from "./types.ts";

/**
 * Reads a page of the internal transactions of an address on a chain. Throws `NOT_FOUND` if tracing is off for the chain, and `UNAVAILABLE` if
 * a block that the page covers is not traced.
 */
export async function internalTransactionsOf(
  { chainId, address }: { readonly chainId: string; readonly address: string },
  args: AddressTransfersArgs,
  { load }: EvmContext,
): Promise<EvmInternalTransactionConnection> {
  const filter = args.filter ?? {};
  const [fromBlock, toBlock, ...times] = rangeOf(filter);
  const key = [chainId, bytea(address), fromBlock, toBlock, ...times];
  const page = await load.internalTransactionsOfAddress[directionOf(filter)].ofChain(key, args);
  const [fromTime, toTime] = coveredTimes(page, args, times);
  requireTraces(chainId, await load.traceCoverage({ chainId, fromBlock, toBlock, fromTime, toTime }));
  return page;
}
