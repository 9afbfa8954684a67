import type pg from "pg";
import { createKeyedRows } from "../../shared/keyed-rows.ts";
import { bytea } from "../../shared/rows.ts";
import { STAKER_COLUMNS, type StakerKey, type StakerRow } from "./rows.ts";

const BY_KEY = {
  name: "stakers-by-key",
  table: "stakers",
  columns: STAKER_COLUMNS,
  key: { network_id: "bigint", tx_hash: "bytea" },
  valuesOf: ({ networkId, txHash }: StakerKey) => [networkId, bytea(txHash)],
};

/** Reads validators and delegators by their staking transactions, in any order. One statement. */
export const createStakersByKey = (pool: pg.Pool) => createKeyedRows<StakerRow, StakerKey>(pool, BY_KEY);
