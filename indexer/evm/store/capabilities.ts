import type { Session } from "../../shared/writer.ts";

/** What not every node can give, or not everybody wants. */
export type Capability = "traces" | "nftMetadata";

/** Whether a chain has it, and why not; of one that has it, why not in full. */
export interface CapabilityState {
  readonly isOn: boolean;
  readonly reason: string | null;
}

/** Says whether a chain has it. While it stays on, why it is not there in full is kept: blocks before a start lack it after it. */
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

/** Null before an indexer has looked. */
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
