import { readRowsByPartition } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { isUntraced } from "../../../core/networks/trace-coverage.ts";
import type { Work } from "../../../core/work/work.ts";
import { bigint } from "../../shared/rows/text-rows.ts";
import type { NumberKey } from "../blocks/store.ts";
import type { ChainCapability } from "./types.ts";

export interface ChainKey {
  readonly chainId: string;
}

export interface ChainCapabilities extends ChainKey {
  readonly capabilities: ChainCapability[];
}

export interface CapabilityStore {
  /** Reads the capabilities of chains, sorted by name; an empty list for a chain that the indexer has not checked. */
  byChain(keys: readonly ChainKey[], work: Work): Promise<ChainCapabilities[]>;
  /** Returns the keys of the blocks that are not traced. One statement for each chain. */
  untracedBlocks(keys: readonly NumberKey[], work: Work): Promise<NumberKey[]>;
}

/**
 * The table keeps the reason why the node refused traces, even after a backfill has added the traces. So the statement returns
 * this reason only while blocks without traces exist. If the node's failure was passing, the reason is that of the block.
 */
const BY_CHAIN = `SELECT chain_id AS "chainId", capability, is_on AS "isOn", missing AS "missingBlocks",
    CASE WHEN NOT is_on OR capability <> 'traces' THEN reason WHEN missing > 0 THEN coalesce(reason, (
      SELECT r.reason FROM trace_retries r WHERE r.chain_id = c.chain_id ORDER BY r.block_number LIMIT 1)) END AS reason
  FROM chain_capabilities c, LATERAL (
    SELECT coalesce(sum(to_block - from_block + 1), 0) AS missing FROM untraced_ranges u
    WHERE u.chain_id = c.chain_id AND c.capability = 'traces') m
  WHERE chain_id = ANY ($1::bigint[]) ORDER BY chain_id, capability`;

const UNTRACED_BLOCKS = `SELECT $1::bigint AS "chainId", k.block_number AS "blockNumber" FROM unnest($2::bigint[]) AS k(block_number)
  WHERE ${isUntraced("$1", "k.block_number")}`;

export function createCapabilityStore({ pool }: Pick<Database, "pool">): CapabilityStore {
  const byChain = prepared<ChainCapability>(pool, "capabilities-by-chain", BY_CHAIN);
  const untracedBlocks = prepared<NumberKey & Record<string, string>>(pool, "untraced-blocks", UNTRACED_BLOCKS);
  return {
    async byChain(keys, work) {
      const rows = await byChain([keys.map(({ chainId }) => chainId)], work);
      return keys.map(({ chainId }) => ({ chainId, capabilities: rows.filter((row) => row.chainId === chainId) }));
    },
    untracedBlocks: readRowsByPartition(untracedBlocks, {
      partitionOf: ({ chainId }: NumberKey) => chainId,
      valuesOf: (keys) => [keys.map(({ blockNumber }) => bigint(blockNumber))],
    }),
  };
}
