/**
 * The node cannot be used now: down, slow, refusing, or behind what is stored. The chain waits and tries again. Callers of the
 * API read the message: it says nothing of where the node is.
 */
export class NodeUnavailable extends Error {
  override readonly name = "NodeUnavailable";

  constructor(
    message: string,
    /** How long the node asked to be left alone; 0 when it did not. */
    readonly retryAfterMs = 0,
    /** True when nothing answers at that path: the node does not have what was asked for, or is another server. */
    readonly isMissing = false,
    /** For the log and the operator: where the node is, and what became of the connection. */
    readonly detail: string | null = null,
  ) {
    super(message);
  }
}

/** The node's answer to a call is an error of JSON-RPC: an answer, not a failure of the node. */
export class RpcError extends Error {
  override readonly name = "RpcError";

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

const METHOD_NOT_FOUND = -32601;

/** True for an error answer of a node that does not have the method. */
export function isMethodNotFound(answer: unknown): answer is RpcError {
  return answer instanceof RpcError && answer.code === METHOD_NOT_FOUND;
}
