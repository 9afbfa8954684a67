import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { observeBatch } from "../../../core/observability/observe.ts";
import type { Work } from "../../../core/work/work.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";

export interface StakerKey {
  readonly networkId: string;
  readonly txHash: string;
}

/** Totals of the delegations to a validation. */
export interface Delegations extends StakerKey {
  /** All delegations, including ended ones. For an auto-renewed validation, those of the current cycle. */
  readonly count: number;
  readonly amount: string;
  /** Active delegations. */
  readonly activeCount: number;
  readonly activeAmount: string;
  /** Delegations that have not begun. Since Durango, each begins with its transaction. */
  readonly pendingAmount: string;
  /** Gross potential rewards of the active delegations, as comma-separated decimal numbers. */
  readonly activeRewards: string;
}

export type DelegationSums = Omit<Delegations, keyof StakerKey>;

export const NO_DELEGATIONS: DelegationSums = {
  count: 0,
  amount: "0",
  activeCount: 0,
  activeAmount: "0",
  pendingAmount: "0",
  activeRewards: "",
};

export interface DelegationStore {
  /** Totals of each validation. One statement for each network. */
  of(keys: readonly StakerKey[], work: Work): Promise<Delegations[]>;
  /** The same, in the order of the keys. */
  inOrder(keys: readonly StakerKey[], work: Work): Promise<DelegationSums[]>;
}

/** A row of `DELEGATION_TOTALS`. */
export interface DelegationsRow {
  readonly request: string;
  readonly count: number;
  readonly amount: string;
  readonly active_count: number;
  readonly active_amount: string;
  readonly pending_amount: string;
  readonly active_rewards: string;
}

/** Delegation totals of validations, given as a network ID and a list of transaction IDs. */
export const DELEGATION_TOTALS = `SELECT k.request, d.* FROM unnest($2::bytea[]) WITH ORDINALITY AS k(tx_hash, request),
  LATERAL (SELECT count(*)::int AS count, coalesce(sum(weight), 0) AS amount,
      count(*) FILTER (WHERE status = 'ACTIVE')::int AS active_count,
      coalesce(sum(weight) FILTER (WHERE status = 'ACTIVE'), 0) AS active_amount,
      coalesce(sum(weight) FILTER (WHERE status = 'PENDING'), 0) AS pending_amount,
      coalesce(string_agg(potential_reward::text, ',') FILTER (WHERE status = 'ACTIVE'), '') AS active_rewards
    FROM stakers t WHERE t.network_id = $1 AND t.validator_tx_hash = k.tx_hash AND t.start_timestamp >=
      (SELECT v.start_timestamp FROM stakers v WHERE v.network_id = $1 AND v.tx_hash = k.tx_hash)) d`;

export function createDelegationStore({ pool }: Pick<Database, "pool">): DelegationStore {
  const read = prepared<DelegationsRow & Record<string, unknown>>(
    pool,
    "delegations-of-validations",
    DELEGATION_TOTALS,
  );
  const rowsOf = readRowsOfKeys(read, {
    partitionOf: ({ networkId }: StakerKey) => networkId,
    valuesOf: (keys) => [byteaArray(keys.map(({ txHash }) => txHash))],
  });
  const sumsOfEach = async (keys: readonly StakerKey[], work: Work): Promise<DelegationSums[]> =>
    (await rowsOf(keys, work)).map(([row]) => (row ? sumsOf(row) : NO_DELEGATIONS));
  return {
    async of(keys, work) {
      const sums = await sumsOfEach(keys, work);
      return keys.map(({ networkId, txHash }, at) => ({ networkId, txHash, ...(sums[at] as DelegationSums) }));
    },
    inOrder: (keys, work) => observeBatch("delegations", keys.length, () => sumsOfEach(keys, work)),
  };
}

function sumsOf(row: DelegationsRow): DelegationSums {
  return {
    count: row.count,
    amount: row.amount,
    activeCount: row.active_count,
    activeAmount: row.active_amount,
    pendingAmount: row.pending_amount,
    activeRewards: row.active_rewards,
  };
}
