import type { PageFrom } from "../../../core/graph/page.ts";
import { descending, endsOfRange, type Keyset, type Order, sorted } from "../../shared/rows/keyset.ts";
import { MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import type { TransactionFilter } from "./filter.ts";

/** The order of a chain's transactions by time: newest first. It is that of the chain, except for vertices of the X-Chain. */
const TIME_ORDER = descending({ block_timestamp: "bigint", tx_seq: "bigint" });

export const timeOrder = (sortOrder: SortOrder): Order => sorted(TIME_ORDER, sortOrder);

/** Number of the first parameter of the position. */
export const TIME_POSITION_AT = 3;

/**
 * Positions of a page of a chain's transactions by time: `$1` network, `$2` chain, `$3` and `$4` position, `$5` limit, `$6` first time, `$7` time
 * after the last one, `$8` types if it is `ofTypes`. The transactions of each type are one range of an index; those of all types are merged.
 */
export function timedPositions(ofTypes: boolean, { after, orderBy }: Keyset): string {
  const page = (where: string): string => `SELECT t.block_timestamp, t.tx_seq FROM primary_transactions t
    WHERE t.network_id = $1 AND t.chain = $2 AND ${where} t.block_timestamp >= $6 AND t.block_timestamp < $7 AND ${after()}
    ORDER BY ${orderBy()} LIMIT $5`;
  return ofTypes
    ? `SELECT t.* FROM unnest($8::text[]) AS k(tx_type), LATERAL (${page("t.tx_type = k.tx_type AND")}) t ORDER BY ${orderBy()} LIMIT $5`
    : page("");
}

type Times = Pick<TransactionFilter, "startTimestamp" | "endTimestamp">;

const rangeOf = ({ startTimestamp, endTimestamp }: Times): [string, string] => [
  startTimestamp ?? "0",
  endTimestamp ?? MAX_BIGINT,
];

/** The ends of a list: pages begin at the times of its filter, so that no transactions outside of them are read. */
export const endsOfTimes = (filter: Times & Pick<TransactionFilter, "sortOrder">) =>
  endsOfRange(timeOrder(filter.sortOrder), ...rangeOf(filter));

/** Parameters of the statement of a filter. No row has the type `UNKNOWN`: the API names all types that are indexed. */
export function timedValues(networkId: string, filter: TransactionFilter, { position, limit }: PageFrom): unknown[] {
  const { chain, txTypes } = filter;
  return [networkId, chain, ...position, limit, ...rangeOf(filter), ...(txTypes ? [txTypes] : [])];
}
