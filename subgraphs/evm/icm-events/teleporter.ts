import { encodeCb58 } from "../../../core/cb58.ts";
import type { Chains } from "../../../core/chains.ts";
import type { EvmContext } from "../context.ts";
import type { TeleporterMessageInfo } from "./types.ts";

/** CB58 of a blockchain id as it is kept; null of none. */
export function blockchainIdOf(hex: string | null): string | null {
  return hex === null ? null : encodeCb58(Buffer.from(hex.slice(2), "hex"));
}

/** What the API calls a chain that a message names: its EVM chain id where it is served, else its blockchain id. */
function chainNameOf(hex: string | null, configured: Chains): string | null {
  const blockchainId = blockchainIdOf(hex);
  return blockchainId === null ? null : String(configured.get(blockchainId)?.chainId ?? blockchainId);
}

/** The first Teleporter message that a transaction (chainId, blockNumber, blockIndex) sent or received; null without one. */
export async function teleporterMessageInfo(
  transaction: readonly string[],
  { load, configured }: Pick<EvmContext, "load" | "configured">,
): Promise<TeleporterMessageInfo | null> {
  const [event] = (await load.directedIcmEventsOfTransaction(transaction, { size: 1 })).items;
  if (!event?.direction) return null;
  const { messageId, direction } = event;
  const other = chainNameOf(event.blockchainId, configured);
  const isSource = direction === "SOURCE_TRANSACTION";
  return {
    teleporterMessageId: messageId,
    direction,
    sourceChainId: isSource ? null : other,
    destinationChainId: isSource ? other : null,
  };
}
