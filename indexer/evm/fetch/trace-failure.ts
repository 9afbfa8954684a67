import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { Redact } from "../../../core/errors/redaction.ts";
import { isMissingMethod, NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import { BlockUnavailable } from "../../shared/node/lagging-node.ts";
import { isUnread } from "../../shared/node/rpc-answers.ts";
import type { TraceFailure } from "../wire/call-trees.ts";
import { TraceRefused } from "./verify-traces.ts";

/** Words of nodes that have deleted the states which the tracing of a block needs, and will not have them again. */
const PRUNED =
  /\bprun(ed|ing)\b|missing trie node|historical state|no state available|missing state|\bstate\b[^:]{0,90}\b(unavailable|not available|not found|missing)\b/i;
/** A state that does not exist yet is no deleted one. */
const NOT_YET = /\bnot yet\b|try again|syncing/i;
const TOO_SLOW = /time(d)?[- ]?out|deadline exceeded|took too long/i;
/** Words of gateways and nodes that refuse the method as such, with other codes than that of a missing method. */
const REFUSED_METHOD =
  /\bmethod\b.*\b(not (found|available|supported|allowed|enabled|whitelisted)|does not exist|unsupported|disabled|blocked)\b|\b(unsupported|unknown|unauthorized) method\b|\bnot (available|supported|allowed)\b.*\b(plan|tier|method)\b/i;

/** True if the node, or the gateway in front of it, does not offer the method at all. */
export function refusesMethod(error: RpcError): boolean {
  return isMissingMethod(error) || REFUSED_METHOD.test(error.message);
}

/**
 * Why the call trees of a block are missing. `error` is the node's error answer, the failure of the request, or what the check of the
 * answer found. Any other error is thrown again.
 */
export function failureOf(number: number, error: unknown, redact: Redact): TraceFailure {
  const traces = `the traces of block ${number}`;
  if (error instanceof NodeUnavailable || error instanceof BlockUnavailable)
    return { reason: `${traces} cannot be read: ${error.message}`, detail: error.detail, isPassing: true };
  if (error instanceof BadUpstreamData)
    return {
      reason: `the node's traces contradict block ${number}: ${redact(error.message)}`,
      detail: null,
      isPassing: true,
    };
  if (!(error instanceof RpcError || error instanceof TraceRefused)) throw error;
  const words = redact(error.message);
  const detail = error instanceof RpcError ? `${words} (${error.code})` : words;
  if (isUnread(error)) return { reason: `${traces} cannot be read: ${words}`, detail: null, isPassing: true };
  if (error instanceof RpcError && refusesMethod(error))
    return { reason: `the node does not offer debug_traceBlockByNumber`, detail, isPassing: false };
  if (PRUNED.test(error.message) && !NOT_YET.test(error.message))
    return { reason: `the node no longer has the state for ${traces}`, detail, isPassing: false };
  const why = TOO_SLOW.test(error.message) ? "cannot compute in time" : "refuses";
  return { reason: `the node ${why} ${traces}`, detail, isPassing: true };
}
