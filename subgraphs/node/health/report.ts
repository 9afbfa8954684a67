import type { HealthCheck, HealthReport } from "./types.ts";

/** Tag of checks that belong to every selection. */
export const APPLICATION = "application";
/** Tag of the primary network's chains: its subnet id. */
export const PRIMARY_NETWORK = "11111111111111111111111111111111LpoYY";
const EVERY_CHECK = "all";

/** The checks that carry one of the tags, and those of the application; every check for the tag `all` and for no tags. */
export function reportOf(checks: readonly HealthCheck[], tags?: readonly string[] | null): HealthReport {
  const wanted = new Set(tags?.length ? [...tags, APPLICATION] : [EVERY_CHECK]);
  const selected = checks.filter((check) => wanted.has(EVERY_CHECK) || check.tags.some((tag) => wanted.has(tag)));
  return { healthy: selected.every(({ error }) => error === null), checks: selected.sort(byName) };
}

const byName = (a: HealthCheck, b: HealthCheck) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));

/** What of a report is told to those who follow it: whether it is healthy, and which checks fail and why. */
export function stateOf({ healthy, checks }: HealthReport): string {
  return JSON.stringify([healthy, checks.flatMap(({ name, error }) => (error === null ? [] : [[name, error]]))]);
}
