import { type Database, prepared } from "../../../core/database.ts";
import { bytea } from "../../shared/rows.ts";

export interface ValidationKey {
  readonly networkId: string;
  readonly txHash: string;
}

/** What is delegated to a validation. */
export interface Delegations extends ValidationKey {
  /** All of its time, also those that ended; of one that is renewed only of its present cycle. */
  readonly count: number;
  readonly amount: string;
  /** Those that run. */
  readonly activeCount: number;
  readonly activeAmount: string;
  /** What each of these can earn, the validator's share included: decimal texts with commas between them. */
  readonly activeRewards: string;
}

export interface DelegationStore {
  /** Of each validation; one statement. */
  of(keys: readonly ValidationKey[]): Promise<Delegations[]>;
}

/** A row of `OF`. */
export interface DelegationsRow {
  readonly ask: string;
  readonly count: number;
  readonly amount: string;
  readonly active_count: number;
  readonly active_amount: string;
  readonly active_rewards: string;
}

/** What is delegated to the validations of two lists: networks, and transactions. */
export const OF = `SELECT k.ask, d.* FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS k(network_id, tx_hash, ask),
  LATERAL (SELECT count(*)::int AS count, coalesce(sum(weight), 0) AS amount,
      count(*) FILTER (WHERE status = 'ACTIVE')::int AS active_count,
      coalesce(sum(weight) FILTER (WHERE status = 'ACTIVE'), 0) AS active_amount,
      coalesce(string_agg(potential_reward::text, ',') FILTER (WHERE status = 'ACTIVE'), '') AS active_rewards
    FROM stakers t WHERE t.network_id = k.network_id AND t.validator_tx_hash = k.tx_hash AND t.start_timestamp >=
      (SELECT v.start_timestamp FROM stakers v WHERE v.network_id = k.network_id AND v.tx_hash = k.tx_hash)) d`;

export function createDelegationStore({ pool }: Pick<Database, "pool">): DelegationStore {
  const read = prepared<DelegationsRow & Record<string, unknown>>(pool, "delegations-of-validations", OF);
  return {
    async of(keys) {
      const rows = await read([keys.map(({ networkId }) => networkId), keys.map(({ txHash }) => bytea(txHash))]);
      return rows.map((row) => {
        const { networkId, txHash } = keys[Number(row.ask) - 1] as ValidationKey;
        return {
          networkId,
          txHash,
          count: row.count,
          amount: row.amount,
          activeCount: row.active_count,
          activeAmount: row.active_amount,
          activeRewards: row.active_rewards,
        };
      });
    },
  };
}
