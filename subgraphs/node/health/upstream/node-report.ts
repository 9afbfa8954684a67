import { z } from "zod";
import type { Redact } from "../../../../core/errors/redaction.ts";
import { parseJson } from "../../../../core/formats/json.ts";
import { APPLICATION, PRIMARY_NETWORK } from "../report.ts";
import type { HealthCheck } from "../types.ts";

const CHECK = z.object({
  message: z.unknown().optional(),
  error: z.string().optional(),
  timestamp: z.string(),
  duration: z.number().int().nonnegative(),
  contiguousFailures: z.number().int().nonnegative().optional(),
  timeOfFirstFailure: z.string().optional(),
});

const REPORT = z.object({ checks: z.record(z.string(), CHECK), healthy: z.boolean() });

/** A node's answer to `GET /ext/health`. */
export type NodeHealth = z.infer<typeof REPORT>;

/** Parses the answer to `GET /ext/health`, and redacts its errors and messages. Null if the text is not a health report. */
export function parseNodeHealth(text: string, redact: Redact): NodeHealth | null {
  const report = REPORT.safeParse(parseJson(text)).data;
  if (!report) return null;
  const checks = Object.entries(report.checks).map(([name, check]) => [
    name,
    {
      ...check,
      ...(check.message === undefined ? {} : { message: redactedTexts(check.message, redact) }),
      ...(check.error === undefined ? {} : { error: redact(check.error) }),
    },
  ]);
  return { ...report, checks: Object.fromEntries(checks) };
}

/** The value with each text in it redacted. A node's report is not nested deeper than a few levels; deeper parts are left out. */
function redactedTexts(value: unknown, redact: Redact, levels = 20): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => redactedTexts(item, redact, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactedTexts(member, redact, levels - 1)]),
  );
}

/** Names of a node's checks that concern the whole node. */
const NODE_CHECKS = new Set([
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
const PRIMARY_NETWORK_CHAINS = new Set(["P", "X", "C"]);

/**
 * Converts a node's checks to checks named `node/<name>`, with the node's times and counters. `subnetOf` returns the subnet of a
 * chain, or null.
 */
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
  if (NODE_CHECKS.has(name)) return [APPLICATION];
  if (PRIMARY_NETWORK_CHAINS.has(name)) return [PRIMARY_NETWORK];
  const subnet = subnetOf(name);
  return subnet === null ? [] : [subnet];
}
