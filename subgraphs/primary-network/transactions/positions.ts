import { type Keyset, of } from "../../shared/rows/keyset.ts";
import { bytea, byteaArray, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import type { TransactionFilter } from "./filter.ts";
import { NAMED_TYPES } from "./tx-types.ts";

/** What a page is read from: a chain, the transactions of one or of several addresses, or those of a validation. */
export type Source = "chain" | "address" | "addresses" | "validation";

/** A statement for pages. If it has no filters of types and times, PostgreSQL reads the transactions of an address in an index alone. */
export interface PageKind {
  readonly source: Source;
  readonly sortOrder: SortOrder;
  readonly isFiltered: boolean;
}

/** The kind of the pages of a filter. */
export function pageKindOf({ scope, addresses, sortOrder, ...filters }: TransactionFilter): PageKind {
  const { txTypes, startTimestamp, endTimestamp } = filters;
  const source = scope === "addresses" && addresses?.length === 1 ? "address" : scope;
  return { source, sortOrder, isFiltered: txTypes !== null || startTimestamp !== null || endTimestamp !== null };
}

/** Parameters of the statement of a filter's kind from the fifth on. `limit` is the fourth. */
export function pageValues(filter: TransactionFilter, limit: number): unknown[] {
  const { source, isFiltered } = pageKindOf(filter);
  const { addresses, validationId, txTypes, startTimestamp, endTimestamp } = filter;
  const filters = isFiltered ? [txTypes, txTypes?.includes("UNKNOWN") ?? false, startTimestamp, endTimestamp] : [];
  if (source === "chain") return [];
  if (source === "validation") return [bytea(validationId ?? "0x"), addresses && byteaArray(addresses), ...filters];
  if (source === "address") return [bytea(addresses?.[0] ?? "0x"), ...filters];
  return [byteaArray(addresses ?? []), firstOfEach(limit, addresses?.length ?? 1), ...filters];
}

/**
 * How many transactions of each of several addresses are read first. If these are all on the page, all others of this number of
 * addresses may be read too: the square root makes both parts equal in the worst case.
 */
function firstOfEach(limit: number, addresses: number): number {
  return Math.ceil(limit / Math.sqrt(addresses));
}

/**
 * Position of the first transaction at or after a time, or one after all transactions. Times never decrease along a chain, except on the
 * X-Chain: a vertex contains no time, so its time comes from a file or from the node. There, only the times of the rows themselves are
 * compared.
 */
const firstFrom = (time: string): string => `coalesce((SELECT f.tx_seq FROM primary_transactions f
    WHERE f.network_id = $1 AND f.chain = $2 AND f.block_timestamp >= ${time}
    ORDER BY f.block_timestamp, f.tx_seq LIMIT 1), ${MAX_BIGINT})`;

/** Conditions for a row `a`. Positions are compared with subqueries, which run once, so that the index is read between them. */
function filtersFrom(parameter: number): string {
  const [types, unknown, start, end] = [0, 1, 2, 3].map((at) => `$${parameter + at}`);
  return `AND (${types}::text[] IS NULL OR a.tx_type = ANY (${types})
      OR (${unknown} AND a.tx_type <> ALL ('{${NAMED_TYPES.join(",")}}')))
    AND (${start}::bigint IS NULL OR a.block_timestamp >= ${start}) AND (${end}::bigint IS NULL OR a.block_timestamp < ${end})
    AND a.tx_seq >= (SELECT CASE WHEN ${start} IS NULL OR $2 = 'X' THEN -1 ELSE ${firstFrom(`${start}`)} END)
    AND a.tx_seq < (SELECT CASE WHEN ${end} IS NULL OR $2 = 'X' THEN ${MAX_BIGINT} ELSE ${firstFrom(`${end}`)} END)`;
}

/** Positions of the transactions of a page: `$1` network, `$2` chain, `$3` last position, `$4` limit, then `pageValues`. */
export function positions(source: Exclude<Source, "chain">, keyset: Keyset, isFiltered: boolean): string {
  if (source === "addresses") return ofAddresses(keyset, isFiltered ? filtersFrom(7) : "");
  const page = (filters: number): string =>
    `${keyset.after(OF_A)} ${isFiltered ? filtersFrom(filters) : ""} ORDER BY ${keyset.orderBy(OF_A)} LIMIT $4`;
  if (source === "address") return `${ofAddress("$5")} AND ${page(6)}`;
  return `SELECT a.tx_seq FROM l1_validator_transactions a WHERE a.network_id = $1 AND a.validation_id = $5
    AND ($6::bytea[] IS NULL OR EXISTS (SELECT FROM primary_address_transactions o
      WHERE o.network_id = $1 AND o.chain = $2 AND o.address = ANY ($6) AND o.tx_seq = a.tx_seq)) AND ${page(7)}`;
}

const OF_A = of("a");

const ofAddress = (address: string): string => `SELECT a.tx_seq FROM primary_address_transactions a
  WHERE a.network_id = $1 AND a.chain = $2 AND a.address = ${address}`;

/**
 * The last of some positions, the comparisons of a position with an earlier one and with a later one, and a position after all others.
 */
const DESCENDING = { last: "min", follows: "<", precedes: ">", end: "-1" } as const;
const ASCENDING = { last: "max", follows: ">", precedes: "<", end: MAX_BIGINT } as const;

/**
 * Positions of a page of several addresses. `firsts` has the first transactions of each address, and `bound` is where a page of these would
 * end. The page has no transactions after it, and other transactions before it only of addresses whose list in `firsts` is full and ends
 * before it.
 */
function ofAddresses({ after, orderBy, isDescending }: Keyset, filters: string): string {
  const { last, follows, precedes, end } = isDescending ? DESCENDING : ASCENDING;
  const byPosition = orderBy((column) => column);
  return `WITH firsts AS MATERIALIZED (
      SELECT k.address, a.tx_seq FROM unnest($5::bytea[]) AS k(address), LATERAL (
        ${ofAddress("k.address")} AND ${after(OF_A)} ${filters} ORDER BY ${orderBy(OF_A)} LIMIT $6::bigint
      ) a
    ), bound AS MATERIALIZED (
      SELECT coalesce((
        SELECT tx_seq FROM (SELECT DISTINCT tx_seq FROM firsts) d ORDER BY ${byPosition} OFFSET $4 - 1 LIMIT 1
      ), ${end}) AS tx_seq
    )
    SELECT DISTINCT p.tx_seq FROM (
      SELECT tx_seq FROM firsts
      UNION ALL SELECT a.tx_seq FROM (
        SELECT address, ${last}(tx_seq) AS tx_seq FROM firsts GROUP BY address
        HAVING count(*) = $6 AND ${last}(tx_seq) ${precedes} (SELECT tx_seq FROM bound)
      ) k, LATERAL (
        ${ofAddress("k.address")} AND a.tx_seq ${follows} k.tx_seq AND a.tx_seq ${precedes} (SELECT tx_seq FROM bound) ${filters}
        ORDER BY ${orderBy(OF_A)} LIMIT $4 - $6
      ) a
    ) p ORDER BY ${orderBy(of("p"))} LIMIT $4`;
}
