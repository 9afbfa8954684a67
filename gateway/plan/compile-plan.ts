import type { FetchNode, PlanNode } from "@graphql-hive/router-query-planner";
import { type ExecutionResult, GraphQLError, parse } from "graphql";
import { mergeData } from "./entities.ts";
import { compileBatchFetch, compileFlatten } from "./entity-fetch.ts";
import { locatedIn } from "./located-error.ts";
import type { Missing, ProjectObject } from "./projection.ts";
import { compileRewrites } from "./rewrites.ts";
import { compileRunFetch, type PlanContext, type Run, type Step } from "./run.ts";

/** Compiles a plan, or a part of one. Throws for parts that the planner does not make for operations without `@skip` and `@include`. */
export function compileStep(node: PlanNode, context: PlanContext): Step {
  switch (node.kind) {
    case "Fetch":
      return compileRootFetch(node, context);
    case "Flatten":
      return compileFlatten(node, context);
    case "BatchFetch":
      return compileBatchFetch(node, context);
    case "Sequence":
      return inSequence(node.nodes.map((part) => compileStep(part, context)));
    case "Parallel": {
      const steps = node.nodes.map((part) => compileStep(part, context));
      return async (run) => void (await Promise.all(steps.map((step) => step(run))));
    }
    default:
      throw new Error(`a plan has a part of the unknown kind ${node.kind}`);
  }
}

function inSequence(steps: readonly Step[]): Step {
  return async (run) => {
    for (const step of steps) await step(run);
  };
}

/** The subscription of a plan, and what it does for each event; null if the plan is none. */
export function splitSubscription(
  node: PlanNode,
  context: PlanContext,
): { readonly primary: FetchNode; readonly rest: Step | null } | null {
  if (node.kind === "Subscription") return { primary: node.primary, rest: null };
  const [first, ...others] = node.kind === "Sequence" ? node.nodes : [];
  if (first?.kind !== "Subscription") return null;
  return { primary: first.primary, rest: inSequence(others.map((part) => compileStep(part, context))) };
}

/** A subgraph reports why a value is null that must not be null. Only if it did not, this is an error of its own. */
export function projectedResult(
  { data, errors }: Pick<Run, "data" | "errors">,
  project: ProjectObject,
): ExecutionResult {
  const missing: Missing = [];
  const projected = project(data, missing);
  if (errors.length > 0) return { data: projected, errors };
  const [first] = missing;
  if (first === undefined) return { data: projected };
  return { data: projected, errors: [new GraphQLError(`Cannot return null for non-nullable field ${first}.`)] };
}

function compileRootFetch(node: FetchNode, context: PlanContext): Step {
  const document = parse(node.operation);
  const fetch = compileRunFetch(node, context, document);
  const rewrite = compileRewrites(node.outputRewrites, context.types);
  const locate = locatedIn(document);
  return async (run) => {
    const { data, errors = [] } = await fetch(run, {});
    for (const error of errors) run.errors.push(locate(error));
    if (!data) return;
    rewrite?.(data);
    mergeData(run.data, data);
  };
}
