import { encodeCb58 } from "../../../core/formats/cb58.ts";
import type { ChainView } from "./ledger.ts";
import { parseOrRefuse, Refusal } from "./refusal.ts";
import { parsePayload, parseValidatorUptime, type WarpPayload } from "./warp-messages.ts";

/**
 * Throws the `Refusal` with which coreth or subnet-evm answers, if it does not sign the message
 * (avalanchego:graft/coreth/warp/verifier_backend.go, graft/subnet-evm/warp/verifier_backend.go). Justifications do not
 * matter.
 */
export function checkEvmMessage(chain: ChainView, message: Buffer, payload: Buffer): void {
  if (chain.hasMessage(message)) return;
  const parsed = parseOrRefuse(1, "failed to parse payload", () => parsePayload(payload));
  if (parsed.type === "Hash") checkBlock(chain, encodeCb58(parsed.hash));
  else if (chain.vm === "coreth") throw new Refusal(1, `unknown payload type: *payload.${parsed.type}`);
  else checkUptime(chain, parsed);
}

function checkBlock(chain: ChainView, blockId: string): void {
  if (!chain.hasBlock(blockId)) throw new Refusal(2, `failed to get block ${blockId}: not found`);
}

function checkUptime(chain: ChainView, call: Extract<WarpPayload, { type: "AddressedCall" }>): void {
  const queried = parseOrRefuse(1, "failed to parse addressed call message", () => parseValidatorUptime(call.payload));
  if (call.sourceAddress.length > 0)
    throw new Refusal(2, "source address should be empty for offchain addressed messages");
  const validationId = encodeCb58(queried.validationId);
  const observed = chain.uptimeOf(validationId);
  if (observed === undefined) throw new Refusal(2, `failed to get uptime: validationID not found: ${validationId}`);
  if (observed < queried.seconds)
    throw new Refusal(
      2,
      `current uptime ${observed} is less than queried uptime ${queried.seconds} for validationID ${validationId}`,
    );
}
