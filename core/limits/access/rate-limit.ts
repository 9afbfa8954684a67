import { Failure } from "../../errors/errors.ts";
import { countRejection } from "../../observability/rejections.ts";
import { type RateCounters, WINDOW_NAMES, WINDOW_SECONDS, type WindowName } from "../rate-counters.ts";
import { type Caller, NO_LIMITS, type RateLimits } from "./callers.ts";

/** Names of the response headers that describe a caller's rate limits. */
export const RATE_LIMIT_HEADERS = [
  "ratelimit",
  "ratelimit-policy",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "retry-after",
] as const;

/**
 * Charges compute units to a caller and appends the rate limit headers to `headers`, names and values alternating. Throws or
 * rejects with `RATE_LIMITED` if the units exceed what is left in the current minute or day; such a request is not charged.
 * Returns a promise only if the caller has to wait for the usage that other processes have counted. After such a wait, `refuse` is called:
 * if it returns a failure, nothing is charged, and the promise rejects with it.
 */
export type ChargeCaller = (
  caller: Caller,
  units: number,
  headers: string[],
  refuse?: () => Failure | null,
) => Promise<void> | undefined;

/** Compute units of an operation of GraphQL that is refused before its own cost is charged, for example because its document is not valid. */
export const REFUSED_UNITS = 1;

/** The name of a limit that is smaller than this number of units; null if there is none. */
export function smallerLimit(limits: RateLimits, units: number): WindowName | null {
  return WINDOW_NAMES.find((name) => limits[name] > 0 && units > limits[name]) ?? null;
}

/** The part of a limit that a caller may use in a process before this process exchanges its counts with the database. */
const UNCONFIRMED_SHARE = 0.02;

/** True for a request of several units that is larger than this part of a limit. Its units are confirmed before it is granted. */
function isLarge({ limits }: Caller, units: number): boolean {
  return units > 1 && WINDOW_NAMES.some((name) => limits[name] > 0 && units > limits[name] * UNCONFIRMED_SHARE);
}

/** The part of a limit after which a process exchanges its counts earlier than usual. */
const EXCHANGE_SHARE = 0.01;

/** Windows are minutes and days of the clock `nowMs`, in UTC. */
export function createRateLimit(counters: RateCounters, nowMs: () => number): ChargeCaller {
  const isUnconfirmed = ({ id, limits }: Caller, share: number): boolean => {
    for (const name of WINDOW_NAMES)
      if (limits[name] > 0 && counters[name].unconfirmed(id) > limits[name] * share) return true;
    return false;
  };
  const confirmThenCharge = async (...[caller, units, headers, refuse]: Parameters<ChargeCaller>): Promise<void> => {
    while (isUnconfirmed(caller, UNCONFIRMED_SHARE)) {
      const exchange = counters.exchange();
      if (!exchange) break;
      await exchange;
    }
    const refused = refuse?.();
    if (refused) throw refused;
    return needsConfirmation(caller, units)
      ? chargeConfirmed(counters, usagesNow, caller, units, headers, refuse)
      : chargeNow(caller, units, headers);
  };
  const usagesNow = (caller: Caller): readonly Usage[] => usagesOf(caller, counters, nowMs() / 1_000);
  /** A request that this process knows to exceed a limit needs no confirmation. */
  const needsConfirmation = (caller: Caller, units: number): boolean =>
    isLarge(caller, units) && exceededBy(units, usagesNow(caller)) === null;
  const chargeNow = (caller: Caller, units: number, headers: string[]): void => {
    const usages = usagesNow(caller);
    const exceeded = exceededBy(units, usages);
    if (!exceeded) for (const usage of usages) usage.used = counters[usage.name].add(caller.id, usage.window, units);
    appendHeaders(usages, headers);
    if (exceeded) {
      for (const { name } of usages) counters[name].refresh(caller.id);
      refuseCharge(exceeded, units, headers);
    }
    if (isUnconfirmed(caller, EXCHANGE_SHARE)) void counters.exchange();
  };
  return (caller, units, headers, refuse) => {
    if (caller.limits === NO_LIMITS) return undefined;
    if (isUnconfirmed(caller, UNCONFIRMED_SHARE)) return confirmThenCharge(caller, units, headers, refuse);
    // Null if this process counts alone.
    if (needsConfirmation(caller, units) && counters.exchange() !== null)
      return chargeConfirmed(counters, usagesNow, caller, units, headers, refuse);
    return chargeNow(caller, units, headers) as undefined;
  };
}

/**
 * Counts the units, exchanges the counts, and takes the units back if the sum of all processes exceeds a limit: several processes would
 * otherwise each grant the last large request of a caller.
 */
async function chargeConfirmed(
  counters: RateCounters,
  usagesNow: (caller: Caller) => readonly Usage[],
  ...[caller, units, headers, refuse]: Parameters<ChargeCaller>
): Promise<void> {
  const counted = usagesNow(caller);
  for (const { name, window } of counted) counters[name].add(caller.id, window, units);
  await counters.exchange();
  const usages = usagesNow(caller);
  const exceeded = exceededBy(0, usages);
  const refused = refuse?.();
  if (exceeded || refused) {
    // The units of a window that has ended count no longer.
    for (const [at, usage] of usages.entries())
      if (usage.window === counted[at]?.window) usage.used = counters[usage.name].add(caller.id, usage.window, -units);
    void counters.exchange();
  }
  if (refused) throw refused;
  appendHeaders(usages, headers);
  if (exceeded) refuseCharge(exceeded, units, headers);
}

/** Appends the rate limit headers of a caller to `headers`, names and values alternating, and charges nothing. */
export function appendLimits(caller: Caller, counters: RateCounters, nowMs: () => number, headers: string[]): void {
  if (caller.limits === NO_LIMITS) return;
  appendHeaders(usagesOf(caller, counters, nowMs() / 1_000), headers);
}

/** A caller's usage of a window with a limit. */
interface Usage {
  readonly name: WindowName;
  readonly limit: number;
  /** The window's number. */
  readonly window: number;
  readonly resetSeconds: number;
  used: number;
}

/** The usage of the windows at a time. */
function usagesOf({ id, limits }: Caller, counters: RateCounters, seconds: number): readonly Usage[] {
  return WINDOW_NAMES.filter((name) => limits[name] > 0).map((name) => {
    const length = WINDOW_SECONDS[name];
    const window = Math.floor(seconds / length);
    const resetSeconds = Math.ceil((window + 1) * length - seconds);
    return { name, limit: limits[name], window, resetSeconds, used: counters[name].used(id, window) };
  });
}

/**
 * The usage that the units would exceed: the one of the longest window, because the caller has to wait until it ends. A limit that is
 * smaller than the units comes first, because no wait helps.
 */
function exceededBy(units: number, usages: readonly Usage[]): Usage | null {
  let exceeded: Usage | null = null;
  for (const usage of usages) {
    if (units > usage.limit) return usage;
    if (usage.used + units > usage.limit) exceeded = usage;
  }
  return exceeded;
}

/** The headers of the current RateLimit draft, and the older ones, which describe the window with the fewest units left. */
function appendHeaders(usages: readonly Usage[], headers: string[]): void {
  const leftOf = ({ limit, used }: Usage): number => Math.max(limit - used, 0);
  const policy = usages.map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_SECONDS[name]}`);
  const state = usages.map((usage) => `"${usage.name}";r=${leftOf(usage)};t=${usage.resetSeconds}`);
  const fewest = usages.reduce((one, other) => (leftOf(other) < leftOf(one) ? other : one));
  headers.push("ratelimit-policy", policy.join(", "), "ratelimit", state.join(", "));
  headers.push("ratelimit-limit", String(fewest.limit), "ratelimit-remaining", String(leftOf(fewest)));
}

/** `exceeded` is the window with too few units left. */
function refuseCharge({ name, limit, resetSeconds }: Usage, units: number, headers: string[]): never {
  countRejection("rate_limited");
  headers.push("ratelimit-reset", String(resetSeconds));
  // No `retry-after`: a client that waits would be refused again.
  if (units > limit)
    throw new Failure(
      "RATE_LIMITED",
      `this request costs ${units} compute units, more than the limit of ${limit} per ${name}: it can never succeed with this limit`,
    );
  headers.push("retry-after", String(resetSeconds));
  throw new Failure(
    "RATE_LIMITED",
    `the limit of ${limit} compute units per ${name} is used up, try again in ${resetSeconds} s`,
  );
}
