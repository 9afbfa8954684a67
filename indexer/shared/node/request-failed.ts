export interface FailureDetails {
  /** The node's `retry-after`; 0 by default. */
  readonly retryAfterMs?: number;
  /** Maximum number of calls that the node accepts in a request, if the request failed because it had more; null by default. */
  readonly batchLimit?: number | null;
  /** True if the path answers 404. */
  readonly isMissing?: boolean;
  /** Detail that is only logged, in addition to the message. */
  readonly detail?: string | null;
}

/** A request without answers. The message continues "the node …", and must not contain the node's address. */
export class RequestFailed extends Error {
  readonly retryAfterMs: number;
  readonly batchLimit: number | null;
  readonly isMissing: boolean;
  readonly detail: string | null;

  constructor(
    message: string,
    { retryAfterMs = 0, batchLimit = null, isMissing = false, detail = null }: FailureDetails = {},
  ) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.batchLimit = batchLimit;
    this.isMissing = isMissing;
    this.detail = detail;
  }
}
