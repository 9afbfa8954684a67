import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { EvmContext } from "../context.ts";
import { blockchainIdOf } from "../icm-events/teleporter.ts";
import type { IcmMessage } from "./types.ts";

/** The chain at an end of a message: its EVM chain id if it is known, and its blockchain id in `0x` hex. */
export interface MessageEnd {
  readonly chainId: string | null;
  readonly blockchainId: string | null;
}

export const sourceOf = ({ row: { sourceChainId, receivedSourceId } }: IcmMessage): MessageEnd => ({
  chainId: sourceChainId,
  blockchainId: receivedSourceId,
});

export const destinationOf = ({ row: { destinationChainId, sentDestinationId } }: IcmMessage): MessageEnd => ({
  chainId: destinationChainId,
  blockchainId: sentDestinationId,
});

/** Blockchain id of an end in CB58; null if neither an event nor the configuration has it. */
export function blockchainIdIn({ chainId, blockchainId }: MessageEnd, { configuredChains }: EvmContext): string | null {
  return blockchainIdOf(blockchainId) ?? configuredChains.get(chainId ?? "")?.blockchainId ?? null;
}

/** The configured chain at an end of a message; null if it is not configured. */
export function configuredEnd(
  { chainId, blockchainId }: MessageEnd,
  { configuredChains }: EvmContext,
): EvmChainConfig | null {
  return configuredChains.get(chainId ?? "") ?? configuredChains.get(blockchainIdOf(blockchainId) ?? "");
}
