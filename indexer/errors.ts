/** The node cannot be used now: down, slow, refusing, or behind what is stored. The chain waits and tries again. */
export class NodeUnavailable extends Error {
  override readonly name = "NodeUnavailable";

  constructor(
    message: string,
    /** How long the node asked to be left alone; 0 when it did not. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** The node answered something that cannot be true. Nothing of it is written, and the chain stops until it answers well. */
export class BadUpstreamData extends Error {
  override readonly name = "BadUpstreamData";
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
