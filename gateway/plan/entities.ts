import type { FlattenNodePathSegment, RequiresSelection } from "@graphql-hive/router-query-planner";
import { type DataObject, isData } from "./projection.ts";
import type { SupergraphTypes } from "./types.ts";

type ResultPath = readonly (string | number)[];

/** Where the entities of a fetch are in the data. */
export interface EntityPath {
  /** Calls the function for each entity, in the order of the data. */
  each(data: DataObject, call: (entity: DataObject) => void): void;
  /** The same with the path of each entity, which only errors need. */
  eachWithPath(data: DataObject, call: OnEntity): void;
  /** The keys of the fields on the path. */
  readonly fields: readonly string[];
}

/** A step of a path: the key of a field, the items of a list, or a condition on the type of the objects. */
type Part = { readonly field: string } | { readonly types: readonly string[] } | "items";

export function compileEntityPath(segments: readonly FlattenNodePathSegment[], types: SupergraphTypes): EntityPath {
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
export type Represent = (entity: DataObject) => DataObject | null;

export function compileRepresentation(selections: readonly RequiresSelection[], types: SupergraphTypes): Represent {
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
