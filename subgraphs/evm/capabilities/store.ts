import { type Database, prepared } from "../../../core/database.ts";
import { bigint } from "../../shared/rows.ts";
import type { NumberKey } from "../blocks/store.ts";
import { isUntraced } from "./coverage.ts";
import type { ChainCapability } from "./types.ts";

export interface ChainKey {
  readonly chainId: string;
}

/** What the chain has and lacks. */
export interface ChainCapabilities extends ChainKey {
  readonly capabilities: ChainCapability[];
}

export interface CapabilityStore {
  /** Of each of the chains of which something is known, by name. */
  ofChains(keys: readonly ChainKey[]): Promise<ChainCapabilities[]>;
  /** Those of the blocks whose call trees are not known. */
  untraced(keys: readonly NumberKey[]): Promise<NumberKey[]>;
}

/** Why a node refused call trees is of no interest any more when no block lacks them. */
const OF_CHAINS = `SELECT chain_id AS "chainId", capability, is_on AS "isOn", missing AS "missingBlocks",
    CASE WHEN is_on AND capability = 'traces' AND missing = 0 THEN NULL ELSE reason END AS reason
  FROM chain_capabilities c, LATERAL (
    SELECT coalesce(sum(to_block - from_block + 1), 0) AS missing FROM untraced_ranges u
    WHERE u.chain_id = c.chain_id AND c.capability = 'traces') m
  WHERE chain_id = ANY ($1::bigint[]) ORDER BY chain_id, capability`;

const UNTRACED = `SELECT k.chain_id AS "chainId", k.block_number AS "blockNumber"
  FROM unnest($1::bigint[], $2::bigint[]) AS k(chain_id, block_number)
  WHERE ${isUntraced("k.chain_id", "k.block_number")}`;

export function createCapabilityStore({ pool }: Pick<Database, "pool">): CapabilityStore {
  const ofChains = prepared<ChainCapability>(pool, "capabilities-of-chains", OF_CHAINS);
  const untraced = prepared<NumberKey & Record<string, string>>(pool, "untraced-blocks", UNTRACED);
  return {
    async ofChains(keys) {
      const rows = await ofChains([keys.map(({ chainId }) => chainId)]);
      return keys.map(({ chainId }) => ({ chainId, capabilities: rows.filter((row) => row.chainId === chainId) }));
    },
    untraced: (keys) =>
      untraced([keys.map(({ chainId }) => chainId), keys.map(({ blockNumber }) => bigint(blockNumber))]),
  };
}
