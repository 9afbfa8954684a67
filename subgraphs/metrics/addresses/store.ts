import { readRowsByPartition } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import type { EvmAddress as Row } from "../../../prisma/client/client.ts";
import { bytea, type TextRow } from "../../shared/rows/text-rows.ts";
import { IS_INDEXED } from "../chains/is-indexed.ts";
import type { EvmAddress } from "./types.ts";

/** The transactions in which an address took part: how many, and the first and the last block. The blocks are null if there are none. */
export interface AddressActivity extends EvmAddress {
  readonly firstBlockNumber: string | null;
  readonly firstBlockTimestamp: string | null;
  readonly lastBlockNumber: string | null;
  readonly lastBlockTimestamp: string | null;
  readonly transactionCount: TextRow<Row>["transactionCount"];
}

export interface AddressStore {
  /** Reads the activity of addresses in one statement for each chain. Addresses on chains that are not indexed are left out. */
  activity(keys: readonly EvmAddress[], work: Work): Promise<AddressActivity[]>;
}

export const ACTIVITY = `SELECT h.chain_id AS "chainId", k.address, a.first_block_number AS "firstBlockNumber",
    a.first_block_timestamp AS "firstBlockTimestamp", a.last_block_number AS "lastBlockNumber",
    a.last_block_timestamp AS "lastBlockTimestamp", coalesce(a.transaction_count, 0) AS "transactionCount"
  FROM unnest($2::bytea[]) AS k(address)
  JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
  LEFT JOIN LATERAL (
    SELECT t.*, (SELECT b.block_timestamp FROM evm_blocks b
        WHERE b.chain_id = $1 AND b.block_number = t.first_block_number) AS first_block_timestamp
    FROM evm_addresses t WHERE t.chain_id = $1 AND t.address = k.address LIMIT 1) a ON true`;

export function createAddressStore({ pool }: Pick<Database, "pool">): AddressStore {
  const activity = prepared<{ [Name in keyof AddressActivity]: AddressActivity[Name] }>(
    pool,
    "metrics-address-activity",
    ACTIVITY,
  );
  return {
    activity: readRowsByPartition(activity, {
      partitionOf: ({ chainId }: EvmAddress) => chainId,
      valuesOf: (keys) => [keys.map(({ address }) => bytea(address))],
    }),
  };
}
