import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  visit,
} from "graphql";
import type { SelectedField } from "../../../core/answer-text/selection.ts";
import { addValue, type Program, type Source } from "../../../core/answer-text/writer.ts";
import { fieldsBelow, uncounted } from "../answer-limits.ts";
import type { DirectResolvers, LoadAll } from "../schema/direct-resolvers.ts";
import { leafOfObject, leafValue } from "./leaves.ts";
import { PART_LENGTH } from "./long-text.ts";
import type { Needs, ReadArguments, ResolvedField } from "./needs.ts";
import { PENDING } from "./text-run.ts";
import { Unwritable } from "./unwritable.ts";

/**
 * Resolvers inside the objects of other resolvers. The answer is written again after each level, so operations with more levels are left
 * to the general executor.
 */
export const MAX_LEVELS = 3;

/** The objects that resolvers return. A field is a property of its object, or a resolver makes it. */
export function objectSource(directResolvers: DirectResolvers, { fields, loads }: Needs): Source {
  /** Keys of the properties that lead to the present object. Null for the result of a resolver. */
  const path: (string | null)[] = [];
  /** The fields that lead to the present object, if a resolver makes them. */
  const parents: (ResolvedField | undefined)[] = [];
  const resolved = new Map<SelectedField, ResolvedField>();
  const addLoad = (loadAll: LoadAll): void => {
    const keys = path.filter((key) => key !== null);
    const isKnown = loads.some((load) => load.loadAll === loadAll && load.path.join() === keys.join());
    if (keys.length === path.length && !isKnown) loads.push({ path: keys, loadAll });
  };
  return {
    valueOf(program, field) {
      if (field.field === "__typename") return JSON.stringify(objectType(program, field).name);
      const definition = fieldOf(program, field);
      const resolve = resolverOf(definition);
      if (!resolve) return `o[${JSON.stringify(field.field)}]`;
      const { loadAll } = directResolvers[field.parent]?.[field.field] ?? {};
      if (loadAll) addLoad(loadAll);
      for (const parent of parents) if (parent) parent.hasResolvedFields = true;
      const made = { resolve, argumentsOf: argumentsOf(definition, field), hasResolvedFields: false };
      resolved.set(field, made);
      return `s.value(${fields.push(made) - 1}, o)`;
    },
    pendingOf: (program, field) =>
      field.field !== "__typename" && resolverOf(fieldOf(program, field)) ? addValue(program, PENDING) : null,
    enter(program, field) {
      if (isAbstractType(getNamedType(field.type))) throw new Unwritable("a field has an interface or a union");
      const isResolved = path.length > 0 && resolverOf(fieldOf(program, field)) !== null;
      path.push(path.length === 0 ? field.key : isResolved ? null : field.field);
      parents.push(resolved.get(field));
      if (path.filter((key) => key === null).length > MAX_LEVELS) throw new Unwritable("too many levels of resolvers");
    },
    leave() {
      path.pop();
      parents.pop();
    },
    leafValue,
    leafOf: leafOfObject,
    beforeObject:
      "if (o == null || typeof o.then === 'function' || o instanceof Error) s.refuse('a value is not an object');",
    beforeList: (program, item, field) => `s.count(a, ${isCounted(item, field) ? fieldsOf(program, field) : 0});`,
    keepsLast: true,
    afterItem: `if (t.length > ${PART_LENGTH}) t = s.take(t);`,
  };
}

/** Null if the field is a property of its object. */
function resolverOf({ resolve }: GraphQLField<unknown, unknown>): ResolvedField["resolve"] | null {
  const inner = uncounted(resolve);
  return inner && inner !== defaultFieldResolver ? (inner as ResolvedField["resolve"]) : null;
}

function objectType({ schema }: Program, { parent }: SelectedField): GraphQLObjectType {
  const type = schema.getType(parent);
  if (!isObjectType(type)) throw new Unwritable(`${parent} is not an object type`);
  return type;
}

function fieldOf(program: Program, field: SelectedField): GraphQLField<unknown, unknown> {
  const definition = objectType(program, field).getFields()[field.field];
  if (!definition) throw new Unwritable(`${field.parent} has no field ${field.field}`);
  return definition;
}

function argumentsOf(definition: GraphQLField<unknown, unknown>, { nodes: [node] }: SelectedField): ReadArguments {
  if (!node) throw new Unwritable("a field is not selected");
  let hasVariables = false;
  visit(node, {
    [Kind.SELECTION_SET]: () => false,
    [Kind.VARIABLE]() {
      hasVariables = true;
    },
  });
  if (hasVariables) return (variables) => getArgumentValues(definition, node, variables as Record<string, unknown>);
  const values = getArgumentValues(definition, node, {});
  return () => values;
}

/** True for a list of objects, not for a list inside it. */
function isCounted(item: GraphQLOutputType, { type }: SelectedField): boolean {
  const list = getNullableType(type);
  return isListType(list) && list.ofType === item && !isLeafType(getNamedType(item));
}

function fieldsOf({ fragments }: Program, { nodes }: SelectedField): number {
  const byName = Object.fromEntries(fragments);
  return nodes.reduce((sum, node) => sum + fieldsBelow(node, byName), 0);
}
