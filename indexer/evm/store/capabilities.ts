import type { Session } from "../../shared/writer.ts";

/** Optional data of a chain, which depends on the node or on the configuration. */
export type Capability = "traces" | "nftMetadata";

/**
 * Whether a chain has the data. `reason` is why the data is missing, for the whole chain or for some blocks or tokens; null if
 * it is complete.
 */
export interface CapabilityState {
  readonly isOn: boolean;
  readonly reason: string | null;
}

/** Stores the state. While `traces` stays on, an earlier reason is kept, because earlier blocks still lack call trees. */
export async function storeCapability(
  session: Session,
  chainId: string,
  capability: Capability,
  { isOn, reason }: CapabilityState,
): Promise<void> {
  await session.query(
    `INSERT INTO chain_capabilities AS c (chain_id, capability, is_on, reason) VALUES ($1, $2, $3, $4)
     ON CONFLICT (chain_id, capability) DO UPDATE SET is_on = excluded.is_on,
       reason = CASE WHEN $2 = 'traces' AND c.is_on AND excluded.is_on THEN coalesce(excluded.reason, c.reason)
         ELSE excluded.reason END`,
    [chainId, capability, isOn, reason],
  );
}

/** Null if no indexer has stored a state yet. */
export async function storedCapability(
  session: Session,
  chainId: string,
  capability: Capability,
): Promise<CapabilityState | null> {
  const [row] = await session.query<{ is_on: boolean; reason: string | null }>(
    "SELECT is_on, reason FROM chain_capabilities WHERE chain_id = $1 AND capability = $2",
    [chainId, capability],
  );
  return row ? { isOn: row.is_on, reason: row.reason } : null;
}
