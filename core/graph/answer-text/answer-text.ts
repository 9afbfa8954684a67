import type { DocumentNode, ExecutionResult } from "graphql";
import type { Variables } from "../graph-document.ts";
import type { AnswerForm } from "./answer-form.ts";

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
