import type { FetchNode, PlanNode } from "@graphql-hive/router-query-planner";
import { type ExecutionResult, type FieldNode, GraphQLError, Kind, parse } from "graphql";
import type { DirectOperation } from "./direct-query.ts";
import { mergeData } from "./entities.ts";
import { compileBatchFetch, compileFlatten } from "./entity-fetch.ts";
import { compileProjection, type Missing } from "./projection.ts";
import { compileFetch, hasNoRewrites, type PlanOptions, type Run, relocated, type Step } from "./run.ts";

/**
 * Compiles the plan of a query without `@skip` and `@include`, for variables that were coerced before. Null if the plan has parts that only
 * Hive's executor knows: rewrites, conditions, and paths with conditions on types.
 */
export function compilePlan(node: PlanNode, options: PlanOptions): DirectOperation | null {
  const { schema, document, operation } = options;
  const step = compileStep(node, options);
  if (!step) return null;
  const project = compileProjection(schema, document, operation);
  return async (variables, request) => {
    const run: Run = { variables, request, data: {}, errors: [] };
    await step(run);
    return resultOf(run, project);
  };
}

/** A subgraph reports why a value is null that must not be null. Only if it did not, this is an error of its own. */
function resultOf({ data, errors }: Run, project: ReturnType<typeof compileProjection>): ExecutionResult {
  const missing: Missing = [];
  const projected = project(data, missing);
  if (errors.length > 0) return { data: projected, errors };
  const [first] = missing;
  if (first === undefined) return { data: projected };
  return { data: projected, errors: [new GraphQLError(`Cannot return null for non-nullable field ${first}.`)] };
}

function compileStep(node: PlanNode, options: PlanOptions): Step | null {
  if (node.kind === "Fetch") return compileRootFetch(node, options);
  if (node.kind === "Flatten") return compileFlatten(node, options);
  if (node.kind === "BatchFetch") return compileBatchFetch(node, options);
  if (node.kind !== "Sequence" && node.kind !== "Parallel") return null;
  const steps: Step[] = [];
  for (const part of node.nodes) {
    const step = compileStep(part, options);
    if (!step) return null;
    steps.push(step);
  }
  if (node.kind === "Parallel") return async (run) => void (await Promise.all(steps.map((step) => step(run))));
  return async (run) => {
    for (const step of steps) await step(run);
  };
}

function compileRootFetch(node: FetchNode, options: PlanOptions): Step | null {
  if (node.requires || !hasNoRewrites(node)) return null;
  const fetch = compileFetch(node, options);
  if (!fetch) return null;
  const defaultPath = firstFieldOf(node.operation);
  return async (run) => {
    const { data, errors = [] } = await fetch(run, {});
    for (const error of errors) run.errors.push(error.path ? error : relocated(error, defaultPath));
    if (data) mergeData(run.data, data);
  };
}

/** The errors of a fetch without a path belong to the first field of its operation. */
function firstFieldOf(text: string): readonly string[] {
  const [operation] = parse(text, { noLocation: true }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return [];
  const field = operation.selectionSet.selections.find((node): node is FieldNode => node.kind === Kind.FIELD);
  return field ? [field.alias?.value ?? field.name.value] : [];
}
