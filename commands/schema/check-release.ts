import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { printSchema } from "graphql";
import { VERSION } from "../../core/observability/version.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { loadSchemas } from "../../subgraphs/load.ts";
import type { Outcome } from "../program/command.ts";
import { linesOf } from "./changes.ts";
import { changesSince, refusals } from "./release-changes.ts";
import { lastRelease } from "./releases.ts";

/** Compares the schemas of the code with those of the last release, and breaking changes with the version and the changelog. */
export async function checkRelease(): Promise<Outcome> {
  const { publicSchema } = createPlanner(committedSupergraph(), []);
  const changes = await changesSince(lastRelease(), printSchema(publicSchema), await loadSchemas());
  const changelog = readFileSync(fileURLToPath(new URL("../../CHANGELOG.md", import.meta.url)), "utf8");
  const refused = refusals(changes, VERSION, changelog);
  const text = [
    `the schema that callers see, since ${changes.since}:`,
    ...linesOf(changes.callers),
    ...[...changes.subgraphs].flatMap(([name, one]) => [`the SDL of the subgraph ${name}:`, ...linesOf(one)]),
    ...refused,
  ].join("\n");
  const data = { ...changes, subgraphs: Object.fromEntries(changes.subgraphs), refused };
  return { text, data, exitCode: refused.length > 0 ? 1 : 0 };
}
