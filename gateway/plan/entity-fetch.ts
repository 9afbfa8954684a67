import type {
  BatchFetchNode,
  EntityBatchAlias,
  FlattenNode,
  FlattenNodePathSegment,
  RequiresSelection,
} from "@graphql-hive/router-query-planner";
import type { GraphQLError } from "graphql";
import { compileRunFetch, type PlanContext, type Run, type RunFetch, relocated, type Step } from "./fetch.ts";
import { type DataObject, isData, type SupergraphTypes } from "./projection.ts";
import { compileRewrites, type Rewrite } from "./rewrites.ts";

/** The field of a subgraph that returns entities, and the variable with their representations. */
const ENTITIES = { alias: "_entities", representationsVariableName: "representations" };

/** Compiles a fetch of fields of the entities at one path. Entities with the same representation are fetched once. */
export function compileFlatten({ path, node }: FlattenNode, context: PlanContext): Step {
  if (node.kind !== "Fetch") throw new Error(`a plan has a ${node.kind} at a path of entities`);
  const { requires = [], inputRewrites = [], outputRewrites = [] } = node;
  const alias = { ...ENTITIES, paths: [path], requires, inputRewrites, outputRewrites };
  const target = compileTarget(alias, context);
  const fields = target.paths.flatMap((entityPath) => entityPath.fields);
  // An error that does not name an entity belongs to the path.
  return entityStep(compileRunFetch(node, context), [target], (error) => relocated(error, fields));
}

/** The same for the entities at several paths, of which one operation asks for different fields. */
export function compileBatchFetch(node: BatchFetchNode, context: PlanContext): Step {
  const targets = node.entityBatch.aliases.map((alias) => compileTarget(alias, context));
  // Aliases of the planner are not in the answer.
  return entityStep(compileRunFetch(node, context), targets, (error) => relocated(error, fieldsOf(targets, error)));
}

/** The fields of the first path whose entities an error may be about. */
function fieldsOf(targets: readonly Target[], { path: [alias] = [] }: GraphQLError): readonly string[] {
  const target = targets.find((one) => one.alias === alias) ?? targets[0];
  return target?.paths[0]?.fields ?? [];
}

/** Entities for which an operation asks for the same fields. */
interface Target {
  /** The key of the entities in the result of the fetch. */
  readonly alias: string;
  /** The variable with the representations, which several targets may share. */
  readonly variable: string;
  readonly paths: readonly EntityPath[];
  readonly represent: Represent;
  /** Changes the entities that the subgraph returns. */
  readonly rewrite: Rewrite | null;
}

function compileTarget(
  { alias, representationsVariableName: variable, paths, requires, inputRewrites, outputRewrites }: EntityBatchAlias,
  { types }: PlanContext,
): Target {
  const represent = compileRepresentation(requires, types);
  const rewriteInput = compileRewrites(inputRewrites, types);
  return {
    alias,
    variable,
    paths: paths.map((path) => compileEntityPath(path, types)),
    represent: rewriteInput ? rewritten(represent, rewriteInput) : represent,
    rewrite: compileRewrites(outputRewrites, types),
  };
}

function rewritten(represent: Represent, rewrite: Rewrite): Represent {
  return (entity) => {
    const representation = represent(entity);
    if (representation) rewrite(representation);
    return representation;
  };
}

/** `withoutEntity` makes the error of the answer from an error that names no entity. */
function entityStep(
  fetch: RunFetch,
  targets: readonly Target[],
  withoutEntity: (error: GraphQLError) => GraphQLError,
): Step {
  return async (run) => {
    const representations = new Map<string, DistinctRepresentations>();
    const found = targets.map((target) => findEntities(target, run.data, representations));
    if (!found.some(({ groups }) => groups.some((group) => group !== NO_GROUP))) return;
    const lists = Object.fromEntries([...representations].map(([variable, { list }]) => [variable, list]));
    const { data, errors = [] } = await fetch(run, lists);
    for (const [at, { alias, rewrite }] of targets.entries()) {
      const returned = data?.[alias];
      if (!Array.isArray(returned)) continue;
      if (rewrite) for (const entity of returned) if (isData(entity)) rewrite(entity);
      addEntities(found[at] as Found, returned, run);
    }
    for (const error of errors) {
      const own = pathsOfError(error, targets, found, run);
      if (own.length === 0) run.errors.push(withoutEntity(error));
      else run.errors.push(...own.map((path) => relocated(error, path)));
    }
  };
}

/** The representations of a variable, each once. */
interface DistinctRepresentations {
  readonly list: DataObject[];
  /** The index of a representation by its JSON. */
  readonly indexes: Map<string, number>;
}

/** The entities of a target in the order of its paths and the data, and for each the index of its representation. */
interface Found {
  readonly entities: DataObject[];
  readonly groups: number[];
}

/** The group of an entity that has none of the required fields. It is not fetched. */
const NO_GROUP = -1;

function findEntities(
  { variable, paths, represent }: Target,
  data: DataObject,
  representations: Map<string, DistinctRepresentations>,
): Found {
  const { list, indexes } = representations.get(variable) ?? { list: [], indexes: new Map<string, number>() };
  representations.set(variable, { list, indexes });
  const groupOf = (representation: DataObject | null): number => {
    if (!representation) return NO_GROUP;
    const key = JSON.stringify(representation);
    const group = indexes.get(key) ?? list.push(representation) - 1;
    indexes.set(key, group);
    return group;
  };
  const found: Found = { entities: [], groups: [] };
  for (const path of paths)
    path.each(data, (entity) => {
      found.entities.push(entity);
      found.groups.push(groupOf(represent(entity)));
    });
  return found;
}

function addEntities({ entities, groups }: Found, returned: readonly unknown[], run: Run): void {
  for (const [at, entity] of entities.entries()) {
    const added = returned[groups[at] ?? NO_GROUP];
    if (!isData(added)) continue;
    run.found?.add(entity);
    mergeData(entity, added);
  }
}

/** The paths that an error of the fetch has in the answer: one for each entity that it is about. */
function pathsOfError(
  { path: [alias, group, ...rest] = [] }: GraphQLError,
  targets: readonly Target[],
  found: readonly Found[],
  { data }: Run,
): (readonly (string | number)[])[] {
  const at = targets.findIndex((target) => target.alias === alias);
  const all: (readonly (string | number)[])[] = [];
  for (const path of targets[at]?.paths ?? []) path.eachWithPath(data, (_, entityPath) => void all.push(entityPath));
  return all.filter((_, entity) => found[at]?.groups[entity] === group).map((path) => [...path, ...rest]);
}

type ResultPath = readonly (string | number)[];

/** Where the entities of a fetch are in the data. */
interface EntityPath {
  /** Calls the function for each entity, in the order of the data. */
  each(data: DataObject, call: (entity: DataObject) => void): void;
  /** The same with the path of each entity, which only errors need. */
  eachWithPath(data: DataObject, call: OnEntity): void;
  /** The keys of the fields on the path. */
  readonly fields: readonly string[];
}

/** A step of a path: the key of a field, the items of a list, or a condition on the type of the objects. */
type Part = { readonly field: string } | { readonly types: readonly string[] } | "items";

function compileEntityPath(segments: readonly FlattenNodePathSegment[], types: SupergraphTypes): EntityPath {
  const parts = segments.map(partOf);
  /** `path` is null if nobody needs it. */
  const visit = (value: unknown, depth: number, path: ResultPath | null, call: OnEntity): void => {
    if (!isData(value)) return;
    const part = parts[depth];
    if (Array.isArray(value)) {
      // The last part may be a list.
      const next = part === "items" ? depth + 1 : depth;
      for (const [at, item] of value.entries()) visit(item, next, path && [...path, at], call);
    } else if (part === undefined) call(value, path ?? []);
    else if (part === "items") return;
    else if ("field" in part) visit(value[part.field], depth + 1, path && [...path, part.field], call);
    else if (hasType(value, part.types, types)) visit(value, depth + 1, path, call);
  };
  return {
    each: (data, call) => visit(data, 0, null, call),
    eachWithPath: (data, call) => visit(data, 0, [], call),
    fields: parts.flatMap((part) => (part !== "items" && "field" in part ? [part.field] : [])),
  };
}

function partOf(segment: FlattenNodePathSegment): Part {
  if (segment === "@") return "items";
  if ("Field" in segment) return { field: segment.Field };
  // The planner gives a name or a list of names.
  return { types: [segment.TypeCondition].flat() };
}

/** An object without a type name may have any type. */
function hasType({ __typename }: DataObject, conditions: readonly string[], types: SupergraphTypes): boolean {
  return __typename === undefined || conditions.some((condition) => types.fits(__typename, condition));
}

type OnEntity = (entity: DataObject, path: ResultPath) => void;

/** Makes the representation by which a subgraph finds an entity. Null if the entity has none of the required fields. */
type Represent = (entity: DataObject) => DataObject | null;

function compileRepresentation(selections: readonly RequiresSelection[], types: SupergraphTypes): Represent {
  const copy = compileCopy(selections, types);
  return (entity) => {
    const { __typename } = entity;
    if (__typename === undefined) return null;
    const { __typename: _, ...key } = copy(entity);
    return Object.keys(key).length > 0 ? { __typename, ...key } : null;
  };
}

type Copy = (data: DataObject) => DataObject;

/** Copies the required fields that are not null. */
function compileCopy(selections: readonly RequiresSelection[], types: SupergraphTypes): Copy {
  const parts = selections.map((selection) => compilePart(selection, types));
  return (data) => {
    const copied: DataObject = {};
    for (const part of parts) part(data, copied);
    return copied;
  };
}

type CopyPart = (data: DataObject, copied: DataObject) => void;

function compilePart(selection: RequiresSelection, types: SupergraphTypes): CopyPart {
  if (selection.kind === "FragmentSpread") throw new Error("a plan requires the fields of a named fragment");
  if (selection.kind === "InlineFragment") {
    const copy = compileCopy(selection.selections, types);
    const { typeCondition } = selection;
    return (data, copied) => {
      if (hasType(data, [typeCondition], types)) mergeData(copied, copy(data));
    };
  }
  const { name, alias = name, selections: inner = [] } = selection;
  const copyInner = inner.length > 0 ? compileCopy(inner, types) : null;
  return (data, copied) => {
    const value = data[name] ?? data[alias] ?? null;
    if (value !== null) copied[alias] = copyInner ? copyEach(value, copyInner) : value;
  };
}

function copyEach(value: unknown, copy: (data: DataObject) => DataObject): unknown {
  if (Array.isArray(value)) return value.map((item) => copyEach(item, copy));
  return isData(value) ? copy(value) : value;
}

/**
 * Adds the fields of `source` to `target`: objects and lists in both are merged, any other value of `source` replaces the one of `target`.
 * Entities that were fetched once share the objects in them, to which the same fields are then added for each.
 */
export function mergeData(target: DataObject, source: DataObject): void {
  for (const key of Object.keys(source)) {
    const own = target[key];
    const added = source[key];
    if (own !== added && isData(own) && isData(added)) mergeData(own, added);
    else target[key] = added;
  }
}
