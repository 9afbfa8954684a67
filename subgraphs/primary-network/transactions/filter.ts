import { Failure } from "../../../core/errors/errors.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { bigint } from "../../shared/rows/text-rows.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { parseAddresses } from "../networks/addresses.ts";
import type { ServedChain } from "../networks/store.ts";
import type { PrimaryNetworkTxType } from "./tx-types.ts";
import type { PrimaryNetworkTransactionsArgs } from "./types.ts";

/** What a list is about. */
export type Scope = "chain" | "addresses" | "validation";

/** Normalised filter of a list: equal for equivalent arguments, whatever their order or notation. */
export interface TransactionFilter {
  readonly scope: Scope;
  readonly chain: PrimaryChain;
  /** `0x` hex; null: any. */
  readonly addresses: readonly string[] | null;
  readonly validationId: string | null;
  readonly txTypes: readonly PrimaryNetworkTxType[] | null;
  /** Seconds; the start is inclusive, the end exclusive. */
  readonly startTimestamp: string | null;
  readonly endTimestamp: string | null;
  readonly sortOrder: SortOrder;
}

/** Parses the arguments of a list. Throws `INVALID_PARAMETER`. */
export function parseFilter({ network, chain }: ServedChain, args: PrimaryNetworkTransactionsArgs): TransactionFilter {
  const { l1ValidationId } = args;
  const { addresses: owners, types: txTypes, fromTime, toTime } = args.filter ?? {};
  const addresses = owners?.length
    ? parseAddresses(network, owners, {
        evm: chain === "C" ? "accepted" : "on the C-Chain only",
      })
    : null;
  const validationId = l1ValidationId ? parseIdParameter("l1ValidationId", l1ValidationId) : null;
  const scope = validationId ? "validation" : addresses ? "addresses" : "chain";
  const filter: TransactionFilter = {
    scope,
    chain,
    addresses,
    validationId,
    sortOrder: args.orderBy?.direction ?? "desc",
    txTypes: txTypes && txTypes.length > 0 ? [...new Set(txTypes)].sort() : null,
    startTimestamp: fromTime ? bigint(fromTime) : null,
    endTimestamp: toTime ? bigint(toTime) : null,
  };
  if (validationId && chain !== "P")
    throw new Failure("INVALID_PARAMETER", "l1ValidationId is for the P-Chain only, got it with another chain");
  return filter;
}
