import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Interval } from "../../../core/networks/periods.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Work } from "../../../core/work/work.ts";
import type { PrimaryActivity } from "../../../prisma/client/client.ts";
import { columns, MAX_BIGINT, type TextRow } from "../../shared/rows/text-rows.ts";
import { STATE_COLUMNS, type StateRow } from "./staking-figures.ts";

/** The newest `size` periods that start at `from` or later and before `until`, in seconds. */
export interface ActivityKey {
  readonly networkId: string;
  readonly interval: Interval;
  readonly from: number;
  readonly until: number;
  readonly size: number;
}

/** Figures of a chain in a period. */
export type FiguresRow = Pick<
  TextRow<PrimaryActivity>,
  "periodStart" | "blocks" | "transactions" | "feesBurned" | "rewardsPaid" | "l1ValidatorFees"
>;

/** A period of the P-Chain has the state after its last block. */
export type PChainRow = FiguresRow & StateRow;

export interface StoredChain {
  /** Grows with every indexed block. */
  readonly head: string;
  /** Time of the last indexed block or vertex, in seconds. */
  readonly headTimestamp: number;
  /** Start of the first and of the last period that has a row; null without rows. */
  readonly first: number | null;
  readonly last: number | null;
  /** Latest time of a vertex that is estimated or not determined, in seconds; -1 if there is none. */
  readonly estimatedUntil: number;
  /** Newest first. */
  readonly rows: readonly FiguresRow[];
}

/** All values are of one moment. */
export interface StoredActivity extends ActivityKey {
  /** Start of the period of the genesis block, and of the last period that has a row of any chain. */
  readonly first: number;
  readonly last: number;
  /** The indexed chains. The rows of the P-Chain include the newest one before the periods. */
  readonly chains: ReadonlyMap<PrimaryChain, StoredChain>;
}

export interface NetworkActivityStore {
  /** Reads pages in one statement for each network. Networks whose figures are not computed are left out. */
  pages(keys: readonly ActivityKey[], work: Work): Promise<StoredActivity[]>;
}

const FIGURES = columns<PrimaryActivity>(
  "periodStart",
  "blocks",
  "transactions",
  "feesBurned",
  "rewardsPaid",
  "l1ValidatorFees",
);

/**
 * A period of the P-Chain without blocks has the state of the one before it, so rows before `from_time` are read too. The row of the last block
 * is read by a LATERAL with a LIMIT, so that the planner never reads all blocks.
 */
const PAGES = `SELECT k.request, h.chain, h.block_number + h.raw_seq AS head, h.block_timestamp AS "headTimestamp",
    b.first_start AS "first", b.last_start AS "last",
    CASE WHEN h.chain <> 'X' OR h.raw_seq = h.block_number OR v.estimated_count = 0 THEN -1
      ELSE coalesce(v.exact_from, ${MAX_BIGINT}) END AS "estimatedUntil", a.*
  FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[]) WITH ORDINALITY
    AS k(unit, from_time, until_time, size, request)
  JOIN primary_heads h ON h.network_id = $1 AND h.raw_seq >= 0
  LEFT JOIN x_chain_vertex_times v ON v.network_id = $1
  CROSS JOIN LATERAL (SELECT min(period_start) AS first_start, max(period_start) AS last_start FROM primary_activity e
    WHERE e.network_id = $1 AND e.chain = h.chain AND e.interval = k.unit) b
  LEFT JOIN LATERAL (SELECT e.*, p.* FROM (
      SELECT ${FIGURES}, ${STATE_COLUMNS}, last_block FROM primary_activity e
      WHERE e.network_id = $1 AND e.chain = h.chain AND e.interval = k.unit AND e.period_start < k.until_time
        AND e.period_start >= CASE h.chain WHEN 'P' THEN 0 ELSE k.from_time END
      ORDER BY e.period_start DESC LIMIT k.size + 1) e
    LEFT JOIN LATERAL (SELECT current_supply AS "currentSupply", active_l1_validators AS "activeL1Validators",
        block_timestamp AS "stateTimestamp" FROM primary_blocks p
      WHERE p.network_id = $1 AND p.chain = 'P' AND p.block_number = e.last_block LIMIT 1) p ON true) a ON true
  ORDER BY k.request, h.chain, a."periodStart" DESC`;

type ChainRow = Pick<StoredChain, "head"> & {
  readonly request: string;
  readonly chain: PrimaryChain;
  readonly headTimestamp: string;
  readonly first: string | null;
  readonly last: string | null;
  readonly estimatedUntil: string;
  /** Null if no period of the range has a row. Then all columns of the row are null. */
  readonly periodStart: string | null;
};

export function createNetworkActivityStore({ pool }: Pick<Database, "pool">): NetworkActivityStore {
  const read = readRowsOfKeys(prepared<ChainRow & FiguresRow>(pool, "primary-network-activity", PAGES), {
    partitionOf: ({ networkId }: ActivityKey) => networkId,
    valuesOf: (keys) => [
      keys.map(({ interval }) => interval),
      keys.map(({ from }) => from),
      keys.map(({ until }) => until),
      keys.map(({ size }) => size),
    ],
  });
  return {
    async pages(keys, work) {
      const byKey = await read(keys, work);
      return keys.flatMap((key, at) => {
        const chains = chainsOf(byKey[at] ?? []);
        const first = chains.get("P")?.first ?? null;
        if (first === null) return [];
        const last = Math.max(...Array.from(chains.values(), (chain) => chain.last ?? first));
        return [{ ...key, first, last, chains }];
      });
    },
  };
}

function chainsOf(rows: readonly (ChainRow & FiguresRow)[]): Map<PrimaryChain, StoredChain> {
  const chains = new Map<PrimaryChain, StoredChain & { readonly rows: FiguresRow[] }>();
  for (const row of rows) {
    const { chain, head, headTimestamp, first, last, estimatedUntil } = row;
    const stored = chains.get(chain) ?? {
      head,
      headTimestamp: Number(headTimestamp),
      first: first === null ? null : Number(first),
      last: last === null ? null : Number(last),
      estimatedUntil: Number(estimatedUntil),
      rows: [],
    };
    chains.set(chain, stored);
    if (row.periodStart !== null) stored.rows.push(row);
  }
  return chains;
}
