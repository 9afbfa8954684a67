import type { FieldNode, GraphQLCompositeType } from "graphql";
import type { AnswerForm } from "./answer-form.ts";
import { leafOf } from "./leaves.ts";
import { type Selections, selectedFields } from "./selection.ts";
import { compilePieces, createProgram, type Source, writeOf } from "./writer.ts";

/** Returns the JSON of the value of a root field, which is not null. */
export type DataWriter = (value: unknown) => string;

/** The data of an executor: its members have the names that the operation selects. */
const DATA: Source = {
  valueOf: (_, { key }) => `o[${JSON.stringify(key)}]`,
  pendingOf: () => null,
  leafValue: () => (from) => from,
  leafOf: (_, type) => leafOf(type),
  typeNameOf: null,
  enter() {},
  leave() {},
  beforeObject: "",
  beforeList: () => "",
  afterItem: "",
  keepsLast: false,
};

/**
 * Compiles the selection set of a root field to a function that concatenates the JSON of its value. Types and the rules of the form are
 * looked up once, when the function is compiled.
 */
export function compileDataWriter(
  selections: Selections,
  root: GraphQLCompositeType,
  node: FieldNode,
  form: AnswerForm,
): DataWriter {
  const program = createProgram(selections, form, DATA);
  const [field] = selectedFields(program, root, [node]);
  if (!field) throw new Error(`${root.name} has no field ${node.name.value}`);
  return compilePieces(program, writeOf(program, field.type, field)("root"));
}
