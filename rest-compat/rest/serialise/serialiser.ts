import type { GraphQLSchema } from "graphql";
import { compileDataWriter } from "../../../core/graph/answer-text/data-writer.ts";
import type { RestOperation } from "../../graph/operation.ts";
import { type Dialect, formOfDialect } from "./dialects.ts";

/** Returns the JSON of a response body. Fields that are null are omitted, except those of `NULL_RULES`. */
export type Serialiser = (body: unknown) => string;

/**
 * Compiles an operation's selection set to a function that writes the data of the operation in a dialect. `constants` are further members
 * of every body.
 */
export function compileSerialiser(
  { name, kind, body, fragments }: RestOperation,
  schema: GraphQLSchema,
  dialect: Dialect,
  constants: Readonly<Record<string, number>> = {},
): Serialiser {
  const root = schema.getRootType(kind);
  if (!root) throw new Error(`operation ${name} is a ${kind}, but the graph has no ${kind} type`);
  const write = compileDataWriter({ schema, fragments }, root, body, formOfDialect(dialect));
  const add = constantMembers(constants);
  return add ? (value) => add(write(value)) : write;
}

/** Returns a function that adds these members to the text of a body, which has at least one member; null if there are none. */
export function constantMembers(constants: Readonly<Record<string, number>> = {}): ((text: string) => string) | null {
  if (Object.keys(constants).length === 0) return null;
  const end = `,${JSON.stringify(constants).slice(1)}`;
  return (text) => text.slice(0, -1) + end;
}
