import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { type Interval, periodStart } from "../../../core/networks/periods.ts";
import type { Work } from "../../../core/work/work.ts";
import type { EvmActivity } from "../../../prisma/client/client.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";

/** Figures of a period that has a block. */
export type ActivityRow = Omit<TextRow<EvmActivity>, "chainId" | "interval">;

/** Counts that are also shown as sums since the genesis. */
export type Sums = Pick<ActivityRow, "transactions" | "newAddresses" | "newContracts">;

/** The newest `size` periods that start at `from` or later and before `until`, in seconds since the epoch. */
export interface ActivityKey {
  readonly chainId: string;
  readonly interval: Interval;
  readonly from: number;
  readonly until: number;
  readonly size: number;
  /** True to read also the sums of all days before `until`. */
  readonly isCumulative: boolean;
}

/** All values are of one moment. */
export interface StoredActivity extends ActivityKey {
  /** The last indexed block and its time. */
  readonly head: string;
  readonly headTimestamp: number;
  /** Start of the first and of the last period that has a block. */
  readonly first: number;
  readonly last: number;
  /** Null unless `isCumulative`. */
  readonly sumsBeforeUntil: Sums | null;
  /** Newest first, without the periods that have no block. */
  readonly rows: readonly ActivityRow[];
}

export interface ActivityStore {
  /** Reads pages in one statement for each chain. Chains whose activity is not indexed are left out. */
  pages(keys: readonly ActivityKey[], work: Work): Promise<StoredActivity[]>;
}

const COLUMNS = columns<EvmActivity>(
  "periodStart",
  "blocks",
  "transactions",
  "gasUsed",
  "feesSpent",
  "activeAddresses",
  "newAddresses",
  "newContracts",
  "erc20Transfers",
);

const SUMMED = "transactions, new_addresses, new_contracts";

/**
 * The sums of all days before `until` are added up from the rows of whole months, and from the rows of the days in the month of
 * `until`. If `month_start`, the start of this month, is null, no sums are wanted, and nothing is read for them.
 */
export const PAGES = `SELECT k.request, h.block_number AS head, h.block_timestamp AS "headTimestamp", b.first_start AS "first", b.last_start AS "last",
    s.transactions AS "transactionsBefore", s.new_addresses AS "addressesBefore", s.new_contracts AS "contractsBefore", a.*
  FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::int[]) WITH ORDINALITY
    AS k(unit, from_time, until_time, month_start, size, request)
  JOIN chain_heads h ON h.chain_id = $1 AND h.block_number > 0,
  LATERAL (SELECT min(period_start) AS first_start, max(period_start) AS last_start FROM evm_activity e
    WHERE e.chain_id = $1 AND e.interval = k.unit) b,
  LATERAL (SELECT coalesce(sum(transactions), 0) AS transactions, coalesce(sum(new_addresses), 0) AS new_addresses,
      coalesce(sum(new_contracts), 0) AS new_contracts
    FROM (
      SELECT ${SUMMED} FROM evm_activity e
      WHERE e.chain_id = $1 AND e.interval = 'MONTH' AND e.period_start < k.month_start
      UNION ALL
      SELECT ${SUMMED} FROM evm_activity e
      WHERE e.chain_id = $1 AND e.interval = 'DAY' AND e.period_start >= k.month_start
        AND e.period_start < k.until_time) u) s
  LEFT JOIN LATERAL (SELECT ${COLUMNS} FROM evm_activity e
    WHERE e.chain_id = $1 AND e.interval = k.unit AND e.period_start >= k.from_time AND e.period_start < k.until_time
    ORDER BY e.period_start DESC LIMIT k.size) a ON true
  ORDER BY k.request, a."periodStart" DESC`;

interface PageRow {
  readonly request: string;
  readonly head: string;
  readonly headTimestamp: string;
  /** Null if the chain has no activity. */
  readonly first: string | null;
  readonly last: string | null;
  readonly transactionsBefore: string;
  readonly addressesBefore: string;
  readonly contractsBefore: string;
  /** The columns of the row are null if no period of the range has a block. */
  readonly periodStart: string | null;
}

export function createActivityStore({ pool }: Pick<Database, "pool">): ActivityStore {
  const read = readRowsOfKeys(prepared<PageRow & ActivityRow>(pool, "metrics-activity", PAGES), {
    partitionOf: ({ chainId }: ActivityKey) => chainId,
    valuesOf: (keys) => [
      keys.map(({ interval }) => interval),
      keys.map(({ from }) => from),
      keys.map(({ until }) => until),
      keys.map(({ isCumulative, until }) => (isCumulative ? periodStart("MONTH", until) : null)),
      keys.map(({ size }) => size),
    ],
  });
  return {
    async pages(keys, work) {
      const byKey = await read(keys, work);
      return keys.flatMap((key, index) => activityOf(key, byKey[index] ?? []));
    },
  };
}

/** Nothing if the chain has no activity. If the range has no periods, there is one row, whose columns of a period are null. */
function activityOf(key: ActivityKey, rows: readonly (PageRow & ActivityRow)[]): StoredActivity[] {
  const [row] = rows;
  if (!row?.last) return [];
  const { transactionsBefore, addressesBefore, contractsBefore } = row;
  const sums = { transactions: transactionsBefore, newAddresses: addressesBefore, newContracts: contractsBefore };
  return [
    {
      ...key,
      head: row.head,
      headTimestamp: Number(row.headTimestamp),
      first: Number(row.first),
      last: Number(row.last),
      sumsBeforeUntil: key.isCumulative ? sums : null,
      rows: rows.filter(({ periodStart }) => periodStart !== null),
    },
  ];
}
