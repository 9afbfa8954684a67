import { rowsOfEach } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { STATE_COLUMNS, type StateRow } from "./staking-figures.ts";

export interface StatisticsKey {
  readonly networkId: string;
}

/** The state of a network after its last indexed P-Chain block. */
export interface StatisticsRow extends StatisticsKey, StateRow {
  readonly blockNumber: string;
  readonly l1ValidatorBalance: string;
}

export interface StatisticsStore {
  /** The states of networks, in any order. One statement for each network. A network without a block is left out. */
  of(keys: readonly StatisticsKey[], work: Work): Promise<StatisticsRow[]>;
}

/** The last row of the P-Chain, in any interval, has the state after its last block. */
const STATISTICS = `SELECT h.network_id AS "networkId", h.block_number AS "blockNumber", h.block_timestamp AS "stateTimestamp",
    s.current_supply AS "currentSupply", s.active_l1_validators AS "activeL1Validators", a.*, b.*
  FROM primary_heads h JOIN p_chain_states s ON s.network_id = $1
    CROSS JOIN LATERAL (SELECT ${STATE_COLUMNS} FROM primary_activity
      WHERE network_id = $1 AND chain = 'P' AND interval = 'MONTH' ORDER BY period_start DESC LIMIT 1) a
    CROSS JOIN LATERAL (SELECT coalesce(sum(end_accumulated_fee - s.l1_accrued_fees), 0) AS "l1ValidatorBalance"
      FROM l1_validators WHERE network_id = $1 AND is_active) b
  WHERE h.network_id = $1 AND h.chain = 'P'`;

export function createStatisticsStore({ pool }: Pick<Database, "pool">): StatisticsStore {
  const read = prepared<StatisticsRow & Record<string, unknown>>(pool, "primary-network-statistics", STATISTICS);
  return {
    async of(keys, work) {
      const values = keys.map(({ networkId }) => [networkId]);
      return (await rowsOfEach(read, values, work)).flat();
    },
  };
}
