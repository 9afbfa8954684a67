import { type MetadataStatus, Missed } from "./statuses.ts";

/** Deferred looks are spread over this time, so that they do not all come back at once. */
const SPREAD_SECONDS = 600;
const SWEEP_SIZE = 1_000;

type Why = Extract<MetadataStatus, "UNREACHABLE_TOKEN_URI" | "THROTTLED_TOKEN_URI">;

/** Hosts that are left alone for a while: what one token found out holds for all others of the host. */
export interface Hosts {
  /** Throws `Missed` while the host rests. */
  require(host: string): void;
  rest(host: string, why: Why, seconds: number): void;
}

/** In memory: after a start every host may be tried again. */
export function createHosts(): Hosts {
  const rests = new Map<string, { readonly why: Why; readonly untilMs: number }>();
  return {
    require(host) {
      const rest = rests.get(host);
      const leftMs = rest ? rest.untilMs - performance.now() : 0;
      if (!rest || leftMs <= 0) return void rests.delete(host);
      const seconds = leftMs / 1_000 + Math.random() * SPREAD_SECONDS;
      throw new Missed(rest.why, `${host} is left alone for now`, Math.ceil(seconds), false);
    },
    rest(host, why, seconds) {
      const now = performance.now();
      if (rests.size >= SWEEP_SIZE) for (const [key, { untilMs }] of rests) if (untilMs <= now) rests.delete(key);
      rests.set(host, { why, untilMs: now + seconds * 1_000 });
    },
  };
}
