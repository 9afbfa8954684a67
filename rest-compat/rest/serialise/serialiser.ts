import {
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isCompositeType,
  isEnumType,
  isListType,
} from "graphql";
import type { AnswerForm, WriteValue } from "../../../core/graph/answer-text.ts";
import { type SelectedField, type Selections, selectedFields } from "../../../core/graph/selection.ts";
import type { RestOperation } from "../../graph/operation.ts";
import type { Dialect } from "../../routes.ts";
import { formOfDialect } from "./dialects.ts";

/** Returns the JSON of a response body. Fields that are null are omitted, except those of `NULL_RULES`. */
export type Serialiser = (body: unknown) => string;

/**
 * Compiles an operation's selection set to a function that writes the data of the operation in a dialect. `constants` are further members
 * of every body. Types and the rules of the dialect are looked up once.
 */
export function compileSerialiser(
  { name, kind, body, fragments }: RestOperation,
  schema: GraphQLSchema,
  dialect: Dialect,
  constants: Readonly<Record<string, number>> = {},
): Serialiser {
  const root = schema.getRootType(kind);
  if (!root) throw new Error(`operation ${name} is a ${kind}, but the graph has no ${kind} type`);
  const scope: Scope = { schema, fragments, form: formOfDialect(dialect) };
  const [field] = selectedFields(scope, root, [body]);
  if (!field) throw new Error(`${root.name} has no field ${body.name.value}`);
  const write = writeOf(scope, field.type, field);
  const add = constantMembers(constants);
  return add ? (value) => add(write(value)) : write;
}

interface Scope extends Selections {
  readonly form: AnswerForm;
}

/** How a value that is not null is written. */
function writeOf(scope: Scope, type: GraphQLOutputType, field: SelectedField): WriteValue {
  const rule = scope.form.valueOf(field.parent, field.field);
  const nullable = getNullableType(type);
  if (rule) return rule;
  if (isListType(nullable)) return listOf(writeOf(scope, nullable.ofType, field));
  if (isCompositeType(nullable)) return objectOf(scope, nullable, field);
  return isEnumType(nullable)
    ? (value) => JSON.stringify(scope.form.enumText(nullable.name, String(value)))
    : JSON.stringify;
}

function listOf(write: WriteValue): WriteValue {
  const item: WriteValue = (value) => (value === null || value === undefined ? "null" : write(value));
  return (list) => `[${(list as readonly unknown[]).map(item).join()}]`;
}

function objectOf(scope: Scope, type: GraphQLCompositeType, { selections }: SelectedField): WriteValue {
  const members = selectedFields(scope, type, selections).map((field) => ({
    key: field.key,
    start: `${JSON.stringify(scope.form.keyOf(field.parent, field.field) ?? field.key)}:`,
    write: writeOf(scope, field.type, field),
    writesNull: scope.form.writesNull(field.parent, field.field),
  }));
  return (object) => {
    const texts: string[] = [];
    for (const { key, start, write, writesNull } of members) {
      const value = (object as Readonly<Record<string, unknown>>)[key] ?? null;
      if (value !== null) texts.push(start + write(value));
      else if (writesNull) texts.push(`${start}null`);
    }
    return `{${texts.join()}}`;
  };
}

/** Returns a function that adds these members to the text of a body, which has at least one member; null if there are none. */
export function constantMembers(constants: Readonly<Record<string, number>> = {}): ((text: string) => string) | null {
  if (Object.keys(constants).length === 0) return null;
  const end = `,${JSON.stringify(constants).slice(1)}`;
  return (text) => text.slice(0, -1) + end;
}
