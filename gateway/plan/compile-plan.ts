import type { FetchNode, FlattenNode, PlanNode } from "@graphql-hive/router-query-planner";
import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
} from "graphql";
import { graphQLErrorOf } from "../../core/errors.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import type { DirectOperation } from "./direct-query.ts";
import { compileEntityPath, compileRepresentation, type EntityPath, mergeData } from "./entities.ts";
import { compileProjection, type DataObject, isData } from "./projection.ts";

type Variables = Readonly<Record<string, unknown>>;

export interface PlanOptions {
  /** The schema that callers see. */
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Null if the fetch cannot be compiled. */
  compileFetch(fetch: FetchNode): DirectOperation | null;
}

/** One run of a plan. */
interface Run {
  readonly variables: Variables;
  readonly request: RequestInfo;
  /** What the subgraphs have returned. */
  readonly data: DataObject;
  readonly errors: GraphQLError[];
}

/** Runs a part of a plan. Never rejects: errors are added to those of the run. */
type Step = (run: Run) => Promise<void>;

/**
 * Compiles the plan of a query without `@skip` and `@include`, for variables that were coerced before. Null if the plan has parts that only
 * Hive's executor knows: rewrites, conditions, paths with conditions on types, and fetches for several paths at once.
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
  const missing: string[] = [];
  const projected = project(data, (type, field) => void missing.push(`${type}.${field}`));
  if (errors.length > 0) return { data: projected, errors };
  const [first] = missing;
  if (first === undefined) return { data: projected };
  return { data: projected, errors: [new GraphQLError(`Cannot return null for non-nullable field ${first}.`)] };
}

function compileStep(node: PlanNode, options: PlanOptions): Step | null {
  if (node.kind === "Fetch") return compileRootFetch(node, options);
  if (node.kind === "Flatten") return compileEntityFetch(node, options);
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
  const fetch = compileFetch(node, options);
  if (!fetch || node.requires) return null;
  const defaultPath = firstFieldOf(node.operation);
  return async (run) => {
    const { data, errors = [] } = await fetch(run, null);
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

/** A fetch of fields of entities that other subgraphs have returned. Entities with the same representation are fetched once. */
function compileEntityFetch({ path, node }: FlattenNode, options: PlanOptions): Step | null {
  if (node.kind !== "Fetch" || !node.requires) return null;
  const fetch = compileFetch(node, options);
  const entities = compileEntityPath(path);
  const represent = compileRepresentation(options.schema, node.requires);
  if (!fetch || !entities || !represent) return null;
  return async (run) => {
    const found: Found = { entities: [], groups: [] };
    const groupOf = new Map<string, number>();
    const representations: DataObject[] = [];
    const groupFor = (representation: DataObject | null): number => {
      if (!representation) return NO_GROUP;
      const key = JSON.stringify(representation);
      const group = groupOf.get(key) ?? representations.push(representation) - 1;
      groupOf.set(key, group);
      return group;
    };
    entities.each(run.data, (entity) => {
      found.entities.push(entity);
      found.groups.push(groupFor(represent(entity)));
    });
    if (representations.length === 0) return;
    const { data, errors = [] } = await fetch(run, representations);
    const returned = data?.["_entities"];
    if (Array.isArray(returned)) addEntities(found, returned);
    if (errors.length > 0) run.errors.push(...entityErrors(errors, found, entities, run.data));
  };
}

/** The entities at a path in the order of the data, and for each the index of its representation. */
interface Found {
  readonly entities: DataObject[];
  readonly groups: number[];
}

/** The group of an entity that has none of the required fields. It is not fetched. */
const NO_GROUP = -1;

function addEntities({ entities, groups }: Found, returned: readonly unknown[]): void {
  for (const [at, entity] of entities.entries()) {
    const added = returned[groups[at] ?? NO_GROUP];
    if (isData(added)) mergeData(entity, added);
  }
}

/** The errors of a fetch of entities, with the paths that the entities have in the answer: one for each entity. */
function entityErrors(
  errors: readonly GraphQLError[],
  { groups }: Found,
  { eachWithPath, fields }: EntityPath,
  data: DataObject,
): GraphQLError[] {
  const paths: (readonly (string | number)[])[] = [];
  eachWithPath(data, (_, path) => void paths.push(path));
  return errors.flatMap((error) => {
    const [field, group, ...rest] = error.path ?? [];
    const own = field === "_entities" ? paths.filter((_, at) => groups[at] === group) : [];
    if (own.length === 0) return relocated(error, fields);
    return own.map((path) => relocated(error, [...path, ...rest]));
  });
}

function relocated(error: GraphQLError, path: readonly (string | number)[]): GraphQLError {
  const { message, nodes, source, positions, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError: error, extensions });
}

type Fetch = (run: Run, representations: readonly DataObject[] | null) => Promise<ExecutionResult>;

/** Null if the fetch cannot be compiled. A fetch that throws returns the error. */
function compileFetch(node: FetchNode, options: PlanOptions): Fetch | null {
  const { variableUsages = [], inputRewrites, outputRewrites } = node;
  if (inputRewrites?.length || outputRewrites?.length) return null;
  const fetch = options.compileFetch(node);
  if (!fetch) return null;
  return async ({ variables, request }, representations) => {
    const selected: Record<string, unknown> = representations ? { representations } : {};
    for (const name of variableUsages) if (Object.hasOwn(variables, name)) selected[name] = variables[name];
    try {
      return await fetch(selected, request);
    } catch (error) {
      return { errors: [graphQLErrorOf(error)] };
    }
  };
}
