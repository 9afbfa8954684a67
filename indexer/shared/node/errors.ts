/**
 * The node cannot be used now: it is down, slow, refuses requests, or is behind the stored blocks. The chain waits and retries.
 * The message is shown to callers of the API, so it must not contain the node's address.
 */
export class NodeUnavailable extends Error {
  override readonly name = "NodeUnavailable";

  constructor(
    message: string,
    /** Minimum wait before the next attempt, such as the node's `retry-after`; 0 if there is none. */
    readonly retryAfterMs = 0,
    /** True if the path answers 404: the node does not have that chain or API, or the URL is wrong. */
    readonly isMissing = false,
    /** For the log only: details that callers must not see, such as the node's address; null if there are none. */
    readonly detail: string | null = null,
  ) {
    super(message);
  }
}

/** The error to throw if the node answers `null` to a call that every healthy node answers, as nodes do that are starting. */
export function nullFromNode(method: string): NodeUnavailable {
  return new NodeUnavailable(`the node answered ${method} with null`);
}

/** The node answered a call with a JSON-RPC error. */
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

/** avalanchego's RPC server answers a method that it does not have with code -32000 and these words. */
const GORILLA_NOT_FOUND = /^rpc: can't find (method|service) /;

/** True if the error says that the node does not have the method or its service. */
export function isMissingMethod(error: RpcError): boolean {
  return error.code === METHOD_NOT_FOUND || GORILLA_NOT_FOUND.test(error.message);
}

/**
 * The error to throw if the node refuses a call that every healthy node answers. `what` names the method. The node's words go to the log
 * only.
 */
export function refusedByNode(what: string, { message, code }: RpcError): NodeUnavailable {
  return new NodeUnavailable(`the node refuses ${what}`, 0, false, `${message} (${code})`);
}
