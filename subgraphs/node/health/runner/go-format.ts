/** Timestamp of a check that has not run yet: Go's zero time. */
export const ZERO_TIME = "0001-01-01T00:00:00Z";

const MICROSECOND = 1_000n;
const MILLISECOND = 1_000_000n;
const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;

/** Formats nanoseconds as Go prints a duration: `0s`, `865.891575ms`, `1m30s`. */
export function goDuration(ns: bigint): string {
  if (ns === 0n) return "0s";
  if (ns < MICROSECOND) return `${ns}ns`;
  if (ns < MILLISECOND) return `${decimal(ns, 3)}µs`;
  if (ns < SECOND) return `${decimal(ns, 6)}ms`;
  const seconds = `${decimal(ns % MINUTE, 9)}s`;
  const minutes = ns / MINUTE;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Formats Unix time in nanoseconds as Go does (RFC3339Nano, UTC), without trailing zeros. */
export function goTime(ns: bigint): string {
  const fraction = decimal(ns % SECOND, 9).slice(1);
  return `${new Date(Number(ns / MILLISECOND)).toISOString().slice(0, 19)}${fraction}Z`;
}

/** Formats `units` / 10^`digits` without trailing zeros. */
function decimal(units: bigint, digits: number): string {
  const text = units.toString().padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, "");
}
