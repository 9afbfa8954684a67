import { encodeCb58 } from "../../../core/formats/cb58.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { EvmContext } from "../context.ts";
import type { TeleporterMessageInfo } from "./types.ts";

/** Converts a blockchain id from `0x` hex to CB58; null remains null. */
export function blockchainIdOf(hex: string | null): string | null {
  return hex === null ? null : encodeCb58(Buffer.from(hex.slice(2), "hex"));
}

/** Returns the EVM chain id of a configured chain, otherwise the blockchain id in CB58. */
function chainIdOf(hex: string | null, configuredChains: Chains): string | null {
  const blockchainId = blockchainIdOf(hex);
  return blockchainId === null ? null : String(configuredChains.get(blockchainId)?.chainId ?? blockchainId);
}

/** Returns the first Teleporter message that a transaction (`transactionKey`) sent or received; null if there is none. */
export async function teleporterMessageInfo(
  transaction: readonly string[],
  { load, configuredChains }: Pick<EvmContext, "load" | "configuredChains">,
): Promise<TeleporterMessageInfo | null> {
  const [event] = (await load.directedIcmEventsOfTransaction(transaction, { size: 1 })).nodes;
  if (!event?.direction) return null;
  const { messageId, direction } = event;
  const otherChainId = chainIdOf(event.blockchainId, configuredChains);
  const isSource = direction === "SOURCE_TRANSACTION";
  return {
    teleporterMessageId: messageId,
    direction,
    sourceChainId: isSource ? null : otherChainId,
    destinationChainId: isSource ? otherChainId : null,
  };
}
