import { type Database, prepared } from "../../../core/database.ts";
import type { NumberKey } from "../blocks/store.ts";
import { bigint } from "../rows.ts";
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

const OF_CHAINS = `SELECT chain_id AS "chainId", capability, is_on AS "isOn", reason,
    CASE capability WHEN 'traces' THEN coalesce(
      (SELECT sum(to_block - from_block + 1) FROM untraced_ranges u WHERE u.chain_id = c.chain_id), 0
    ) ELSE 0 END AS "missingBlocks"
  FROM chain_capabilities c WHERE chain_id = ANY ($1::bigint[]) ORDER BY chain_id, capability`;

const UNTRACED = `SELECT k.chain_id AS "chainId", k.block_number AS "blockNumber"
  FROM unnest($1::bigint[], $2::bigint[]) AS k(chain_id, block_number)
  WHERE EXISTS (SELECT FROM untraced_ranges u
    WHERE u.chain_id = k.chain_id AND k.block_number BETWEEN u.from_block AND u.to_block)`;

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
