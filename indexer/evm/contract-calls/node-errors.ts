import { isMethodNotFound, type RpcError } from "../../shared/node/errors.ts";

/** A message with this beginning is an error of the contract's code. The contract may have written the text after it. */
const IS_REVERT = /^execution reverted/;
/** Messages of a node that lacks the state, is behind, or limits requests. */
const IS_NODE_PROBLEM =
  /missing trie node|(header|block|state|method)\b.* (not found|not available|does not exist)|unfinalized|unknown block|rate limit|too many/i;

/** True if an error answer to `eth_call` is about the node, not the contract: the call must be retried later. */
export function isNodeError(error: RpcError): boolean {
  const { code, message } = error;
  return isMethodNotFound(error) || (code !== 3 && !IS_REVERT.test(message) && IS_NODE_PROBLEM.test(message));
}
