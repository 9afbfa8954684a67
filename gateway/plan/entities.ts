import type { FlattenNodePathSegment, RequiresSelection } from "@graphql-hive/router-query-planner";
import { type GraphQLSchema, isObjectType, TypeNameMetaFieldDef } from "graphql";
import { type DataObject, isData } from "./projection.ts";

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

/** Null if the path has conditions on types. */
export function compileEntityPath(segments: readonly FlattenNodePathSegment[]): EntityPath | null {
  /** The keys of fields, and null for the items of a list. */
  const parts: (string | null)[] = [];
  for (const segment of segments) {
    if (segment === "@") parts.push(null);
    else if ("Field" in segment) parts.push(segment.Field);
    else return null;
  }
  /** `path` is null if nobody needs it. */
  const visit = (value: unknown, depth: number, path: ResultPath | null, call: OnEntity): void => {
    if (!isData(value)) return;
    const part = parts[depth];
    if (Array.isArray(value)) {
      // The last part may be a list.
      const next = part === null ? depth + 1 : depth;
      for (const [at, item] of value.entries()) visit(item, next, path && [...path, at], call);
    } else if (part === undefined) call(value, path ?? []);
    else if (part !== null) visit(value[part], depth + 1, path && [...path, part], call);
  };
  return {
    each: (data, call) => visit(data, 0, null, call),
    eachWithPath: (data, call) => visit(data, 0, [], call),
    fields: parts.filter((part) => part !== null),
  };
}

type OnEntity = (entity: DataObject, path: ResultPath) => void;

/** Makes the representation by which a subgraph finds an entity. Null if the entity has none of the required fields. */
export type Represent = (entity: DataObject) => DataObject | null;

/** Null if the selection has a form that is not supported. */
export function compileRepresentation(
  schema: GraphQLSchema,
  selections: readonly RequiresSelection[],
): Represent | null {
  const byType = new Map<unknown, (entity: DataObject) => DataObject>();
  for (const selection of selections) {
    if (selection.kind !== "InlineFragment" || byType.has(selection.typeCondition)) return null;
    const copy = isObjectType(schema.getType(selection.typeCondition)) ? compileCopy(selection.selections) : null;
    if (!copy) return null;
    byType.set(selection.typeCondition, copy);
  }
  return (entity) => {
    const { __typename } = entity;
    const key = byType.get(__typename)?.(entity);
    return key && Object.keys(key).length > 0 ? { __typename, ...key } : null;
  };
}

/** Copies the required fields that are not null, without `__typename`. Null if the selection has conditions on types. */
function compileCopy(selections: readonly RequiresSelection[]): ((data: DataObject) => DataObject) | null {
  const fields: { readonly name: string; readonly key: string; readonly copy: (value: unknown) => unknown }[] = [];
  for (const selection of selections) {
    if (selection.kind !== "Field") return null;
    const { name, alias = name, selections: inner } = selection;
    if (name === TypeNameMetaFieldDef.name) continue;
    const copyInner = inner && inner.length > 0 ? compileCopy(inner) : undefined;
    if (copyInner === null) return null;
    fields.push({ name, key: alias, copy: copyInner ? (value) => copyEach(value, copyInner) : (value) => value });
  }
  return (data) => {
    const copied: DataObject = {};
    for (const { name, key, copy } of fields) {
      const value = copy(data[name] ?? data[key]) ?? null;
      if (value !== null) copied[key] = value;
    }
    return copied;
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
