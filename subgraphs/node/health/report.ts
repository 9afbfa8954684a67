import type { HealthCheck, HealthReport } from "./types.ts";

/** Tag of checks that every report contains. */
export const APPLICATION = "application";
/** Subnet id of the primary network; the tag of its chains. */
export const PRIMARY_NETWORK = "11111111111111111111111111111111LpoYY";
const EVERY_CHECK = "all";

/** A report of the checks that have one of the tags or `application`. Without tags, or with the tag `all`: of every check. */
export function reportOf(checks: readonly HealthCheck[], tags?: readonly string[] | null): HealthReport {
  const wanted = new Set(tags?.length ? [...tags, APPLICATION] : [EVERY_CHECK]);
  const selected = checks.filter((check) => wanted.has(EVERY_CHECK) || check.tags.some((tag) => wanted.has(tag)));
  return { healthy: selected.every(({ error }) => error === null), checks: selected.sort(byName) };
}

const byName = (a: HealthCheck, b: HealthCheck) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));

/** The part of a report whose change is sent to subscribers: whether it is healthy, and which checks fail with which error. */
export function stateOf({ healthy, checks }: HealthReport): string {
  return JSON.stringify([healthy, checks.flatMap(({ name, error }) => (error === null ? [] : [[name, error]]))]);
}
