import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
} from "graphql";
import type { SelectedField } from "../../../core/graph/answer-text/selection.ts";
import { addValue, type Program, type Source } from "../../../core/graph/answer-text/writer.ts";
import { fieldsBelow, uncounted } from "../answer-limits.ts";
import type { FieldResolver, LoadAll } from "../schema/load-all.ts";
import { compileArguments, type ReadArguments } from "./arguments.ts";
import { leafOfObject, leafValue } from "./leaves.ts";
import { PART_LENGTH } from "./long-text.ts";
import type { Needs, ResolvedField } from "./needs.ts";
import { PENDING } from "./text-run.ts";
import { typeNames } from "./type-names.ts";
import { Unwritable } from "./unwritable.ts";

/**
 * The objects that resolvers return. A field is a property of its object, or a resolver makes it. The values of the root fields are a list.
 */
export function objectSource({ fields, loads }: Needs, roots: readonly SelectedField[]): Source {
  /** The properties that lead to the present object. Null for the result of a resolver, and for one of several types. */
  const path: (string | null)[] = [];
  /** The fields that lead to the present object, if a resolver makes them. */
  const parents: (ResolvedField | undefined)[] = [];
  const resolved = new Map<SelectedField, ResolvedField>();
  const addLoads = (loadsAll: readonly LoadAll[]): void => {
    const steps = path.filter((step) => step !== null);
    if (loadsAll.length === 0 || steps.length < path.length) return;
    const known = loads.get(steps.join())?.loadsAll ?? [];
    loads.set(steps.join(), { path: steps, loadsAll: new Set([...known, ...loadsAll]) });
  };
  return {
    valueOf(program, field) {
      if (field.field === "__typename") return JSON.stringify(objectType(program, field).name);
      const definition = fieldOf(program, field);
      const resolve = resolverOf(definition);
      if (!resolve) return `o[${JSON.stringify(field.field)}]`;
      addLoads(resolve.loads ?? []);
      for (const parent of parents) if (parent) parent.hasResolvedFields = true;
      const made = { resolve, argumentsOf: argumentsOf(definition, field), hasResolvedFields: false };
      resolved.set(field, made);
      return `s.value(${fields.push(made) - 1}, o)`;
    },
    pendingOf: (program, field) =>
      field.field !== "__typename" && resolverOf(fieldOf(program, field)) ? addValue(program, PENDING) : null,
    typeNameOf: (program, type) => `${addValue(program, typeNames(program.schema, type))}(o, s.context)`,
    enter(program, field) {
      const isRoot = path.length === 0;
      const isProperty = isRoot || resolverOf(fieldOf(program, field)) === null;
      const key = isRoot ? String(roots.indexOf(field)) : field.field;
      path.push(isProperty && isObjectType(getNamedType(field.type)) ? key : null);
      parents.push(resolved.get(field));
    },
    leave() {
      path.pop();
      parents.pop();
    },
    leafValue,
    leafOf: leafOfObject,
    beforeObject:
      "if (typeof o !== 'object' || o === null || typeof o.then === 'function' || o instanceof Error) s.refuse('a value is not an object');",
    beforeList: (program, item, field) => `s.count(a, ${isCounted(item, field) ? fieldsOf(program, field) : 0});`,
    keepsLast: true,
    afterItem: `if (t.length > ${PART_LENGTH}) t = s.take(t);`,
  };
}

/** Null if the field is a property of its object. */
function resolverOf({ resolve }: GraphQLField<unknown, unknown>): FieldResolver | null {
  const inner = uncounted(resolve);
  return inner && inner !== defaultFieldResolver ? (inner as FieldResolver) : null;
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
  return compileArguments(definition, node);
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
