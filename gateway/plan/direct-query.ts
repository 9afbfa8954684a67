import type { ExecutionResult } from "graphql";
import type { RunText, TextOptions } from "../../core/answer-text/answer-text.ts";
import type { RequestInfo } from "../../core/graph-client.ts";

/** A query, compiled. */
export type DirectOperation = (
  variables: Readonly<Record<string, unknown>>,
  request: RequestInfo,
) => Promise<ExecutionResult>;

/** The same, with the answer as text. */
export type DirectText = RunText<RequestInfo>;

/** A query that runs without Hive's executor. */
export interface DirectQuery {
  /** Compiles it, once. Null if that is not possible. */
  compile(): DirectOperation | null;
  /** Compiles it to the text of its answer. Null if its answer cannot be written in this form. */
  compileText(options: TextOptions): DirectText | null;
}
