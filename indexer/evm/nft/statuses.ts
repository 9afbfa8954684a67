interface Retry {
  /** Wait after the first failed attempt; each further wait is four times as long, up to a day. */
  readonly firstWaitSeconds: number;
  /** Maximum number of consecutive attempts. */
  readonly attempts: number;
}

export const DAY_SECONDS = 86_400;
/** The result does not change with time, so the metadata is read again only on request. */
const FINAL = null;

/** The results of an attempt to read a token's metadata, and when the next attempt is made. */
export const STATUSES = {
  /** The contract returns no URI, and has no call that shows whether the token exists. */
  UNKNOWN: FINAL,
  /** The contract returns neither a URI nor an owner. */
  MISSING_TOKEN: FINAL,
  /** The contract's URI is empty or invalid, or the token exists without one. */
  INVALID_TOKEN_URI: FINAL,
  /** The scheme is not data:, https: or ipfs:. */
  INVALID_TOKEN_URI_SCHEME: FINAL,
  /**
   * The host name cannot be resolved, the connection fails, there is no answer in time, the HTTP status is not 2xx, the address
   * is forbidden, or a redirect is not followed.
   */
  UNREACHABLE_TOKEN_URI: { firstWaitSeconds: 60, attempts: 8 },
  /** HTTP 429. Waits at least for the server's `retry-after`. */
  THROTTLED_TOKEN_URI: { firstWaitSeconds: 60, attempts: 16 },
  METADATA_CONTENT_TOO_LARGE: FINAL,
  /** JSON that is not an object. */
  INVALID_METADATA: FINAL,
  INVALID_METADATA_JSON: FINAL,
  INDEXED: FINAL,
  /**
   * Not read, because `nftMetadata.remote` is off, or because the node cannot call the contract. Read once the setting is on, or after
   * growing pauses (`retryPauseSeconds`).
   */
  UNINDEXED: FINAL,
} as const satisfies Record<string, Retry | null>;

export type MetadataStatus = keyof typeof STATUSES;

/** A token's metadata cannot be read: a result about the token, not a failure of the indexer. */
export class MetadataUnavailable extends Error {
  override readonly name = "MetadataUnavailable";

  constructor(
    readonly status: Exclude<MetadataStatus, "INDEXED">,
    message: string,
    /** The least wait before the next attempt: the server's `retry-after`, or the rest of the host's pause; 0 if there is none. */
    readonly retryAfterSeconds = 0,
    /**
     * False if no request was made, because of the host's earlier failures or because `nftMetadata.remote` is off. This is not
     * counted as an attempt.
     */
    readonly isAttempt = true,
  ) {
    super(message);
  }
}

/** True if the status says nothing about the token, so that metadata from an earlier attempt is kept. */
export function isTemporary(status: MetadataStatus): boolean {
  return STATUSES[status] !== FINAL || status === "UNINDEXED";
}

/** Seconds until the next attempt after `attempts` failed ones, the last with this status; null if there is no next attempt. */
export function waitSeconds(status: MetadataStatus, attempts: number, retryAfterSeconds: number): number | null {
  const retry = STATUSES[status];
  if (retry === FINAL || attempts >= retry.attempts) return null;
  const backoff = retry.firstWaitSeconds * 4 ** Math.max(0, attempts - 1);
  return Math.max(Math.min(backoff, DAY_SECONDS), retryAfterSeconds);
}
