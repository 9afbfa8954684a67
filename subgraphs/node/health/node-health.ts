import { z } from "zod";
import { APPLICATION, PRIMARY_NETWORK } from "./report.ts";
import type { HealthCheck } from "./types.ts";

const CHECK = z.object({
  message: z.unknown().optional(),
  error: z.string().optional(),
  timestamp: z.string(),
  duration: z.number().int().nonnegative(),
  contiguousFailures: z.number().int().nonnegative().optional(),
  timeOfFirstFailure: z.string().optional(),
});

const REPORT = z.object({ checks: z.record(z.string(), CHECK), healthy: z.boolean() });

/** What a node answers to `GET /ext/health`. */
export type NodeHealth = z.infer<typeof REPORT>;

/** Null for a text that is no such answer. */
export function parseNodeHealth(text: string): NodeHealth | null {
  try {
    return REPORT.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Checks that concern the whole node, whatever it is asked for. */
const OF_THE_NODE = new Set([
  "network",
  "router",
  "database",
  "diskspace",
  "bls",
  "futureupgrade",
  "bootstrapped",
  "validation",
  "shuttingDown",
]);
const OF_THE_PRIMARY_NETWORK = new Set(["P", "X", "C"]);

/** A node's checks as checks of ours, with its own times and counters, named `node/<its name>`. `subnetOf` knows the subnets of other chains. */
export function mergedChecks({ checks }: NodeHealth, subnetOf: (chain: string) => string | null): HealthCheck[] {
  return Object.entries(checks).map(([name, check]) => ({
    name: `node/${name}`,
    message: check.message ?? null,
    error: check.error ?? null,
    timestamp: check.timestamp,
    duration: String(check.duration),
    contiguousFailures: check.contiguousFailures ?? null,
    timeOfFirstFailure: check.timeOfFirstFailure ?? null,
    tags: tagsOf(name, subnetOf),
  }));
}

function tagsOf(name: string, subnetOf: (chain: string) => string | null): string[] {
  if (OF_THE_NODE.has(name)) return [APPLICATION];
  if (OF_THE_PRIMARY_NETWORK.has(name)) return [PRIMARY_NETWORK];
  const subnet = subnetOf(name);
  return subnet === null ? [] : [subnet];
}
