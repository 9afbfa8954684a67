import { type MetadataStatus, MetadataUnavailable } from "./statuses.ts";

/** Deferred attempts are spread over this time, so that they do not all run at once. */
const SPREAD_SECONDS = 600;
/** Number of entries at which expired ones are removed. */
const SWEEP_SIZE = 1_000;

type BackoffStatus = Extract<MetadataStatus, "UNREACHABLE_TOKEN_URI" | "THROTTLED_TOKEN_URI">;

/** Requests to a host pause after this many more timeouts than answers in time. Each further timeout doubles the pause. */
const MAX_TIMEOUTS = 3;
const TIMEOUT_BACKOFF_SECONDS = 60;
const MAX_TIMEOUT_BACKOFF_SECONDS = 3_600;

/** Hosts to which no requests are sent for a while. A failure with one token delays all tokens of the host. */
export interface HostBackoff {
  /** Throws `MetadataUnavailable` while the host must receive no requests. */
  requireAvailable(host: string): void;
  backOff(host: string, status: BackoffStatus, seconds: number): void;
  /** A request to the host timed out. */
  timedOut(host: string): void;
  /** The host answered a request in time. */
  answered(host: string): void;
}

/** Kept in memory: after a restart every host may be tried again. */
export function createHostBackoff(): HostBackoff {
  const backoffs = new Map<string, { readonly status: BackoffStatus; readonly untilMs: number }>();
  const timeouts = new Map<string, number>();
  const backOff = (host: string, status: BackoffStatus, seconds: number): void => {
    const now = performance.now();
    if (backoffs.size >= SWEEP_SIZE)
      for (const [key, { untilMs }] of backoffs) if (untilMs <= now) backoffs.delete(key);
    backoffs.set(host, { status, untilMs: now + seconds * 1_000 });
  };
  const isBackingOff = (host: string): boolean => (backoffs.get(host)?.untilMs ?? 0) > performance.now();
  return {
    backOff,
    requireAvailable(host) {
      const backoff = backoffs.get(host);
      const leftMs = backoff ? backoff.untilMs - performance.now() : 0;
      if (!backoff || leftMs <= 0) return void backoffs.delete(host);
      const seconds = leftMs / 1_000 + Math.random() * SPREAD_SECONDS;
      throw new MetadataUnavailable(
        backoff.status,
        `${host} receives no requests for now, after earlier failures`,
        Math.ceil(seconds),
        false,
      );
    },
    timedOut(host) {
      // This request was sent before the earlier failure, which already delays the host.
      if (isBackingOff(host)) return;
      const count = (timeouts.get(host) ?? 0) + 1;
      if (timeouts.size >= SWEEP_SIZE) timeouts.clear();
      timeouts.set(host, count);
      const seconds = TIMEOUT_BACKOFF_SECONDS * 2 ** (count - MAX_TIMEOUTS);
      if (count >= MAX_TIMEOUTS) backOff(host, "UNREACHABLE_TOKEN_URI", Math.min(MAX_TIMEOUT_BACKOFF_SECONDS, seconds));
    },
    answered(host) {
      const count = timeouts.get(host) ?? 0;
      if (count > 1) timeouts.set(host, count - 1);
      else timeouts.delete(host);
    },
  };
}
