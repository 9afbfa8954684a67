import { type MetadataStatus, Missed } from "./statuses.ts";

/** Deferred looks are spread over this time, so that they do not all come back at once. */
const SPREAD_SECONDS = 600;
const SWEEP_SIZE = 1_000;

type Why = Extract<MetadataStatus, "UNREACHABLE_TOKEN_URI" | "THROTTLED_TOKEN_URI">;

/** So many more looks that took too long than looks that did not make a host rest; each further one twice as long. */
const MOST_LATE = 3;
const LATE_REST_SECONDS = 60;
const LONGEST_LATE_REST_SECONDS = 3_600;

/** Hosts that are left alone for a while: what one token found out holds for all others of the host. */
export interface Hosts {
  /** Throws `Missed` while the host rests. */
  require(host: string): void;
  rest(host: string, why: Why, seconds: number): void;
  /** A look at the host took too long. */
  late(host: string): void;
  /** A look at the host ended in time. */
  inTime(host: string): void;
}

/** In memory: after a start every host may be tried again. */
export function createHosts(): Hosts {
  const rests = new Map<string, { readonly why: Why; readonly untilMs: number }>();
  const lates = new Map<string, number>();
  const rest = (host: string, why: Why, seconds: number): void => {
    const now = performance.now();
    if (rests.size >= SWEEP_SIZE) for (const [key, { untilMs }] of rests) if (untilMs <= now) rests.delete(key);
    rests.set(host, { why, untilMs: now + seconds * 1_000 });
  };
  const isResting = (host: string): boolean => (rests.get(host)?.untilMs ?? 0) > performance.now();
  return {
    rest,
    require(host) {
      const resting = rests.get(host);
      const leftMs = resting ? resting.untilMs - performance.now() : 0;
      if (!resting || leftMs <= 0) return void rests.delete(host);
      const seconds = leftMs / 1_000 + Math.random() * SPREAD_SECONDS;
      throw new Missed(resting.why, `${host} is left alone for now`, Math.ceil(seconds), false);
    },
    late(host) {
      // Others were under way when it began to rest.
      if (isResting(host)) return;
      const count = (lates.get(host) ?? 0) + 1;
      if (lates.size >= SWEEP_SIZE) lates.clear();
      lates.set(host, count);
      const seconds = LATE_REST_SECONDS * 2 ** (count - MOST_LATE);
      if (count >= MOST_LATE) rest(host, "UNREACHABLE_TOKEN_URI", Math.min(LONGEST_LATE_REST_SECONDS, seconds));
    },
    inTime(host) {
      const count = lates.get(host) ?? 0;
      if (count > 1) lates.set(host, count - 1);
      else lates.delete(host);
    },
  };
}
