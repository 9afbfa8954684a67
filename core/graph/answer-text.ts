import type { DocumentNode, ExecutionResult } from "graphql";
import type { Variables } from "./graph-document.ts";

/** Returns the JSON of a field's value. */
export type WriteValue = (value: unknown) => string;

/** How an answer is written. Types and fields are those of the graph. */
export interface AnswerForm {
  /** Writes the values of a field in place of its type; undefined if the type decides. */
  valueOf(type: string, field: string): WriteValue | undefined;
  /** Another name for a member; undefined if it has the name that the operation selects. */
  keyOf(type: string, field: string): string | undefined;
  /** True if a field without a value is written as null. Otherwise it is omitted. */
  writesNull(type: string, field: string): boolean;
  /** How a value of an enum is written. `name` is its name in the graph. */
  enumText(type: string, name: string): string;
}

/** The form of the GraphQL specification. */
export const GRAPHQL_FORM: AnswerForm = {
  valueOf: () => undefined,
  keyOf: () => undefined,
  writesNull: () => true,
  enumText: (_type, name) => name,
};

/** What a text contains: the value of the only root field, or the whole answer, `{"data":…}`. */
export type TextScope = "value" | "answer";

export interface TextOptions {
  readonly form: AnswerForm;
  readonly scope: TextScope;
}

/** JSON. A long one is bytes in UTF-8: of a text of some 100 kB, Node.js needs half of the time of the answer to make its bytes. */
export type JsonText = string | Buffer;

/** True if an answer is a text. */
export function isJsonText(answer: unknown): answer is JsonText {
  return typeof answer === "string" || Buffer.isBuffer(answer);
}

/**
 * Runs an operation and returns the text of its answer. Returns a result if there is no text: because of errors, or because the value of
 * the scope `value` is null.
 */
export type RunText<Context> = (variables: Variables, context: Context) => Promise<JsonText | ExecutionResult>;

/** The same, or null if only the reference executor can answer. */
export type TryText = (variables: Variables, context: unknown) => Promise<JsonText | ExecutionResult | null>;

/** Compiles the only operation of a valid document; null if only the reference executor can run it. */
export type CompileText = (document: DocumentNode, options: TextOptions) => TryText | null;
