import type { DocumentNode, ExecutionResult } from "graphql";
import type { AnswerForm } from "./answer-form.ts";

type Variables = Readonly<Record<string, unknown>>;

/** What a text contains: the value of the only root field, or the whole answer, `{"data":…}`. */
export type TextScope = "value" | "answer";

export interface TextOptions {
  readonly form: AnswerForm;
  readonly scope: TextScope;
}

/**
 * Runs an operation and returns the text of its answer. Returns a result if there is no text: because of errors, or because the value of
 * the scope `value` is null.
 */
export type RunText<Context> = (variables: Variables, context: Context) => Promise<string | ExecutionResult>;

/** The same, or null if only the general executor can answer. */
export type TryText = (variables: Variables, context: unknown) => Promise<string | ExecutionResult | null>;

/** Compiles the only operation of a valid document; null if only the general executor can run it. */
export type CompileText = (document: DocumentNode, options: TextOptions) => TryText | null;
