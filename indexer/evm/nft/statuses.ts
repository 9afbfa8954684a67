interface Retry {
  /** Wait after the first look that ended so; after each further one four times as long, up to a day. */
  readonly firstWaitSeconds: number;
  /** Looks in a row after which it is left at that. */
  readonly attempts: number;
}

export const DAY_SECONDS = 86_400;
/** Nothing that time alone would change: looked at again only when somebody asks for it. */
const FINAL = null;

/** What may come of looking for a token's metadata, and when it is looked for again. */
export const STATUSES = {
  /** The contract gives no URI, and does not say whether the token exists. */
  UNKNOWN: FINAL,
  /** The contract gives no URI, and no owner either. */
  MISSING_TOKEN: FINAL,
  /** What the contract gives is empty or no URI; or the token exists without one. */
  INVALID_TOKEN_URI: FINAL,
  /** Neither data:, https: nor ipfs:. */
  INVALID_TOKEN_URI_SCHEME: FINAL,
  /** No name, no connection, no answer in time, an answer other than 2xx, a forbidden address or port, too many redirects. */
  UNREACHABLE_TOKEN_URI: { firstWaitSeconds: 60, attempts: 8 },
  /** HTTP 429. Not before the server's `retry-after`. */
  THROTTLED_TOKEN_URI: { firstWaitSeconds: 60, attempts: 16 },
  METADATA_CONTENT_TOO_LARGE: FINAL,
  /** JSON, but no object. */
  INVALID_METADATA: FINAL,
  INVALID_METADATA_JSON: FINAL,
  INDEXED: FINAL,
  /** Not tried: `nftMetadata.remote` is off. Tried when that is switched on. */
  UNINDEXED: FINAL,
} as const satisfies Record<string, Retry | null>;

export type MetadataStatus = keyof typeof STATUSES;

/** Why a token has no metadata: an answer about the token, never a failure of the indexer. */
export class Missed extends Error {
  override readonly name = "Missed";

  constructor(
    readonly status: Exclude<MetadataStatus, "INDEXED">,
    message: string,
    /** How long the server wants to be left alone. */
    readonly retryAfterSeconds = 0,
    /** False: nobody was asked, because others had found out just before. Does not count as an attempt. */
    readonly isAttempt = true,
  ) {
    super(message);
  }
}

/** These say nothing of what an earlier look brought: metadata that was read once stays. */
export function isPassing(status: MetadataStatus): boolean {
  return STATUSES[status] !== FINAL || status === "UNINDEXED";
}

/** Seconds until the next look after so many in a row that ended in `status`; null when that was the last. */
export function waitSeconds(status: MetadataStatus, attempts: number, retryAfterSeconds: number): number | null {
  const retry = STATUSES[status];
  if (retry === FINAL || attempts >= retry.attempts) return null;
  const backoff = retry.firstWaitSeconds * 4 ** Math.max(0, attempts - 1);
  return Math.max(Math.min(backoff, DAY_SECONDS), retryAfterSeconds);
}
