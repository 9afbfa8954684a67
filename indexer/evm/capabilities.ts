import type { Session } from "../writer.ts";

/** What not every node can give, or not everybody wants. */
export type Capability = "traces" | "nftMetadata";

/** Says whether a chain has it, and why not. */
export async function storeCapability(
  session: Session,
  chainId: string,
  capability: Capability,
  { isOn, reason }: { readonly isOn: boolean; readonly reason: string | null },
): Promise<void> {
  await session.query(
    `INSERT INTO chain_capabilities (chain_id, capability, is_on, reason) VALUES ($1, $2, $3, $4)
     ON CONFLICT (chain_id, capability) DO UPDATE SET is_on = excluded.is_on, reason = excluded.reason`,
    [chainId, capability, isOn, reason],
  );
}
