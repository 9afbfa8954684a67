import { z } from "zod";

/** Nanoseconds by unit of a Go duration. */
const GO_UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  "\u00b5s": 1e3,
  "\u03bcs": 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};
const GO_PART = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;

/**
 * Milliseconds of a duration in the format of avalanchego's flags, such as `2s` or `1m30s`. Null if the text is not a duration.
 */
export function goDurationMs(text: string): number | null {
  const unsigned = text.replace(/^\+/, "");
  if (unsigned.replace(GO_PART, "") !== "" || unsigned === "") return null;
  const parts = [...text.matchAll(GO_PART)].map(([, count, unit = ""]) => Number(count) * (GO_UNITS[unit] ?? 0));
  return parts.reduce((sum, part) => sum + part, 0) / 1e6;
}

const MIN_PAUSE_MS = 100;
/** The timers of Node.js accept at most 2^31 ms. */
const MAX_PAUSE_HOURS = 596;

/** A pause between two runs, as a Go duration. */
export const goDuration = z.string().refine((text) => {
  const ms = goDurationMs(text);
  return ms !== null && ms >= MIN_PAUSE_MS && ms <= MAX_PAUSE_HOURS * 3_600_000;
}, `must be a duration of at least ${MIN_PAUSE_MS}ms and at most ${MAX_PAUSE_HOURS}h, such as 2s or 1m30s`);
