import { P_CHAIN_ID } from "../codec/unsigned-message.ts";

/** A node's refusal to sign. */
export interface Refusal {
  readonly errorCode: number;
  readonly errorMessage: string;
}

/**
 * `request`: no later block can change the refusal, because the request is wrong. `node`: this node never signs it. `lag`: a node
 * that is some blocks behind refuses in the same way, or the node is busy.
 */
export type RefusalKind = "request" | "node" | "lag";

const UNEXPECTED = -1;
/** Codes of the P-Chain that do not depend on its state. Source: avalanchego, vms/platformvm/network/warp.go. */
const P_CHAIN_FINAL: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 7, 8, 9, 10, 13, 15, 17]);
const UNSUPPORTED = -2;
const NODE_FINAL: ReadonlySet<number> = new Set([UNSUPPORTED, -3]);

/** Codes of all chains. Source: avalanchego, network/p2p/error.go. */
const COMMON: ReadonlyMap<number, string> = new Map([
  [0, "the node gives no reason"],
  [-1, "the node cannot read the request"],
  [-2, "the chain does not sign messages"],
  [-3, "the node does not serve this client"],
  [-4, "the node receives too many requests"],
]);

const P_CHAIN: ReadonlyMap<number, string> = new Map([
  [1, "the payload is not an addressed call"],
  [2, "the source address is not empty"],
  [3, "the payload is not a message about L1 validators"],
  [4, "the P-Chain does not sign messages of this type"],
  [5, "the justification is missing or malformed"],
  [6, "the subnet has not been converted to an L1"],
  [7, "the conversion id is not that of the subnet"],
  [8, "the message needs a justification of another type, or the justification is missing"],
  [9, "the subnet id in the justification is malformed"],
  [10, "the justification belongs to another validation id"],
  [11, "there is no validator with this validation id"],
  [12, "the validator is still registered"],
  [13, "the registration in the justification is malformed"],
  [14, "the validator could still be registered"],
  [15, "the nonce is not possible"],
  [16, "the nonce is not that of the validator's latest weight"],
  [17, "the weight is not that of the validator"],
]);

/**
 * The code does not tell which kind of node refuses: 1 and 2 mean parsing and verification for coreth and subnet-evm, storage and
 * parsing for the SAE C-Chain (avalanchego, vms/saevm/cchain/warp/verifier.go). These words are true of both.
 */
const EVM: ReadonlyMap<number, string> = new Map([
  [1, "the chain has not sent this message, or the node cannot look it up"],
  [2, "the node cannot verify the message: its block, validator or payload is unknown or wrong"],
  [3, "the chain has not sent this message"],
  [4, "the block is not accepted"],
]);

/** What a refusal by the nodes of a chain means for further attempts. */
export function kindOfRefusal(sourceChainId: string, { errorCode, errorMessage }: Refusal): RefusalKind {
  if (NODE_FINAL.has(errorCode)) return "node";
  // A node that forwards a request gives this code also when time is up.
  if (errorCode === UNEXPECTED) return /timed out/.test(errorMessage) ? "lag" : "request";
  return sourceChainId === P_CHAIN_ID && P_CHAIN_FINAL.has(errorCode) ? "request" : "lag";
}

/** True if the node has no handler for signatures of the chain. */
export function isUnsupported({ errorCode }: Pick<Refusal, "errorCode">): boolean {
  return errorCode === UNSUPPORTED;
}

/** The meaning of a code in words. */
export function meaningOfCode(sourceChainId: string, errorCode: number): string {
  const own = sourceChainId === P_CHAIN_ID ? P_CHAIN : EVM;
  return own.get(errorCode) ?? COMMON.get(errorCode) ?? "the meaning of the code is not known";
}
