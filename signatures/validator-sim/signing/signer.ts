import { encodeCb58 } from "../../../core/formats/cb58.ts";
import { type ChainConfig, EMPTY_ID } from "../config.ts";
import { bytesOf, readFields, readVarint } from "../wire/protobuf.ts";
import { checkEvmMessage } from "./evm-rules.ts";
import type { Ledger, PChainView } from "./ledger.ts";
import { checkPChainPayload } from "./p-chain-rules.ts";
import { parseOrRefuse, Refusal } from "./refusal.ts";
import { parseUnsignedMessage } from "./warp-messages.ts";

/** First varint of an app request, which selects the handler (avalanchego:network/p2p/handler.go, network/p2p/acp118). */
const GOSSIP_HANDLER = 0n;
const SIGNATURE_HANDLER = 2n;

/** Decides what nodes may sign. */
export interface Signer {
  /** The virtual machine whose rules a chain follows; null if the chain does not exist. */
  vmOf(chainId: string): ChainConfig["vm"] | "platform" | null;
  /** The message that a node has to sign for the bytes of an app request. Throws `Refusal` if it must not. */
  messageToSign(chainId: string, appBytes: Buffer): Buffer;
  /** Throws `Refusal` if nodes of the chain do not sign the message. */
  check(chainId: string, message: Buffer, justification: Buffer): void;
}

export function createSigner(networkId: number, ledger: Ledger): Signer {
  const vmOf = (chainId: string) => (chainId === EMPTY_ID ? "platform" : (ledger.chain(chainId)?.vm ?? null));
  const check = (chainId: string, message: Buffer, justification: Buffer) => {
    const prefix = "failed to parse warp unsigned message";
    const { payload, ...unsigned } = parseOrRefuse(-1, prefix, () => parseUnsignedMessage(message));
    const chain = ledger.chain(chainId);
    if (chain) checkEvmMessage(chain, message, payload);
    else checkInAnyState(ledger.pChainStates(), payload, justification);
    if (unsigned.networkId !== networkId) throw new Refusal(-1, "failed to sign message: wrong networkID");
    if (encodeCb58(unsigned.sourceChainId) !== chainId)
      throw new Refusal(-1, "failed to sign message: wrong SourceChainID");
  };
  return {
    vmOf,
    check,
    messageToSign(chainId, appBytes) {
      const { message, justification } = signatureRequestOf(vmOf(chainId), appBytes);
      check(chainId, message, justification);
      return message;
    },
  };
}

/** Throws the refusal of the newest state if nodes do not sign the payload in any of the states. */
function checkInAnyState(states: Iterable<PChainView>, payload: Buffer, justification: Buffer): void {
  let newest: Refusal | undefined;
  for (const view of states) {
    try {
      checkPChainPayload(view, payload, justification);
      return;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      newest ??= error;
    }
  }
  throw newest ?? new Refusal(-1, "failed to sign message: the P-Chain has no block");
}

function signatureRequestOf(vm: string | null, appBytes: Buffer): { message: Buffer; justification: Buffer } {
  const { handler, rest } = handlerOf(appBytes);
  if (vm !== "none" && handler === GOSSIP_HANDLER) throw new Refusal(-3, "not a validator");
  if (vm === "none" || handler !== SIGNATURE_HANDLER) throw new Refusal(-2, "unregistered handler");
  return parseOrRefuse(-1, "failed to unmarshal request", () => {
    const fields = readFields(rest);
    return { message: bytesOf(fields, 1), justification: bytesOf(fields, 2) };
  });
}

function handlerOf(appBytes: Buffer): { handler: bigint | null; rest: Buffer } {
  try {
    const { value, end } = readVarint(appBytes, 0);
    return { handler: value, rest: appBytes.subarray(end) };
  } catch {
    return { handler: null, rest: appBytes };
  }
}
