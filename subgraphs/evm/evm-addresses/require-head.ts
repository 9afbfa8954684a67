import { type Head, requireBlock } from "../chains/heads.ts";
import { nullIfIndexed } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";

/** The last indexed block of a chain. Throws `UNAVAILABLE`, with the reason, if no block is indexed. */
export async function requireHead(chainId: string, context: EvmContext): Promise<Head> {
  const head = (await context.load.head({ chainId })) ?? (await nullIfIndexed(chainId, context));
  return requireBlock(chainId, head);
}
