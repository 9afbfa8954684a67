import { type Database, prepared } from "../../../core/database.ts";
import { observeBatch } from "../../../core/observability/observe-reads.ts";
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
  /** Gross potential rewards of the active delegations, as comma-separated decimal numbers. */
  readonly activeRewards: string;
}

export type DelegationSums = Omit<Delegations, keyof StakerKey>;

export const NO_DELEGATIONS: DelegationSums = {
  count: 0,
  amount: "0",
  activeCount: 0,
  activeAmount: "0",
  activeRewards: "",
};

export interface DelegationStore {
  /** Totals of each validation. One statement. */
  of(keys: readonly StakerKey[]): Promise<Delegations[]>;
  /** The same, in the order of the keys. */
  inOrder(keys: readonly StakerKey[]): Promise<DelegationSums[]>;
}

/** A row of `DELEGATION_TOTALS`. */
export interface DelegationsRow {
  readonly ask: string;
  readonly count: number;
  readonly amount: string;
  readonly active_count: number;
  readonly active_amount: string;
  readonly active_rewards: string;
}

/** Delegation totals of validations, given as a list of network IDs and a list of transaction IDs. */
export const DELEGATION_TOTALS = `SELECT k.ask, d.* FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS k(network_id, tx_hash, ask),
  LATERAL (SELECT count(*)::int AS count, coalesce(sum(weight), 0) AS amount,
      count(*) FILTER (WHERE status = 'ACTIVE')::int AS active_count,
      coalesce(sum(weight) FILTER (WHERE status = 'ACTIVE'), 0) AS active_amount,
      coalesce(string_agg(potential_reward::text, ',') FILTER (WHERE status = 'ACTIVE'), '') AS active_rewards
    FROM stakers t WHERE t.network_id = k.network_id AND t.validator_tx_hash = k.tx_hash AND t.start_timestamp >=
      (SELECT v.start_timestamp FROM stakers v WHERE v.network_id = k.network_id AND v.tx_hash = k.tx_hash)) d`;

export function createDelegationStore({ pool }: Pick<Database, "pool">): DelegationStore {
  const read = prepared<DelegationsRow & Record<string, unknown>>(
    pool,
    "delegations-of-validations",
    DELEGATION_TOTALS,
  );
  const rowsOf = (keys: readonly StakerKey[]) =>
    read([`{${keys.map(({ networkId }) => networkId).join()}}`, byteaArray(keys.map(({ txHash }) => txHash))]);
  return {
    async of(keys) {
      const rows = await rowsOf(keys);
      return rows.map((row) => {
        const { networkId, txHash } = keys[Number(row.ask) - 1] as StakerKey;
        return { networkId, txHash, ...sumsOf(row) };
      });
    },
    async inOrder(keys) {
      const rows = await observeBatch("delegations", keys.length, () => rowsOf(keys));
      const sums = keys.map(() => NO_DELEGATIONS);
      for (const row of rows) sums[Number(row.ask) - 1] = sumsOf(row);
      return sums;
    },
  };
}

function sumsOf({ count, amount, active_count, active_amount, active_rewards }: DelegationsRow): DelegationSums {
  return {
    count,
    amount,
    activeCount: active_count,
    activeAmount: active_amount,
    activeRewards: active_rewards,
  };
}
