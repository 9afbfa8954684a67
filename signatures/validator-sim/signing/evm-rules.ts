import { encodeCb58 } from "../../../core/cb58.ts";
import type { ChainConfig } from "../config.ts";
import { parseOrRefuse, Refusal } from "./refusal.ts";
import { parsePayload, parseValidatorUptime, type WarpPayload } from "./warp-messages.ts";

/** A chain of an EVM, and what happened on it. */
export interface EvmChainView {
  readonly config: ChainConfig;
  /** Hex of the unsigned messages that were sent on the chain. */
  readonly messages: ReadonlySet<string>;
}

/**
 * Throws the `Refusal` with which coreth or subnet-evm answers, if it does not sign the message
 * (avalanchego:graft/coreth/warp/verifier_backend.go, graft/subnet-evm/warp/verifier_backend.go). Justifications do not
 * matter.
 */
export function checkEvmMessage(chain: EvmChainView, message: Buffer, payload: Buffer): void {
  if (chain.messages.has(message.toString("hex"))) return;
  const parsed = parseOrRefuse(1, "failed to parse payload", () => parsePayload(payload));
  if (parsed.type === "Hash") checkBlock(chain.config, encodeCb58(parsed.hash));
  else if (chain.config.vm === "coreth") throw new Refusal(1, `unknown payload type: *payload.${parsed.type}`);
  else checkUptime(chain.config, parsed);
}

function checkBlock({ blocks }: ChainConfig, blockId: string): void {
  if (!blocks.includes(blockId)) throw new Refusal(2, `failed to get block ${blockId}: not found`);
}

function checkUptime({ uptimes }: ChainConfig, call: Extract<WarpPayload, { type: "AddressedCall" }>): void {
  const queried = parseOrRefuse(1, "failed to parse addressed call message", () => parseValidatorUptime(call.payload));
  if (call.sourceAddress.length > 0)
    throw new Refusal(2, "source address should be empty for offchain addressed messages");
  const validationId = encodeCb58(queried.validationId);
  const observed = uptimes[validationId];
  if (observed === undefined) throw new Refusal(2, `failed to get uptime: validationID not found: ${validationId}`);
  if (observed < queried.seconds)
    throw new Refusal(
      2,
      `current uptime ${observed} is less than queried uptime ${queried.seconds} for validationID ${validationId}`,
    );
}
