import { type ExecutionResult, GraphQLError } from "graphql";
import { codeOf, FAILURES, type FailureCode, graphQLErrorOf, isFailureCode } from "../../core/errors/errors.ts";
import { isJsonText, type JsonText } from "../../core/graph/answer-text.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import { type PublicError, withPublicErrors } from "../public-error.ts";
import { checkJsonSize, checkTextSize } from "./limits.ts";
import { RequestError } from "./request-error.ts";

/** What becomes of an operation: the text of its answer, a result, or the events of a subscription. */
export type Outcome =
  | { readonly kind: "text"; readonly text: JsonText }
  | ResultOutcome
  | { readonly kind: "events"; readonly events: AsyncIterableIterator<ExecutionResult> };

export interface ResultOutcome {
  readonly kind: "result";
  /** Its errors are those that callers get. Without `data`, the request is wrong, and nothing has run. */
  readonly result: ExecutionResult;
  /** The HTTP status. Absent: 200, or 400 for a result without `data`, if the media type of the answer has such statuses. */
  readonly status?: number;
  /** More HTTP headers, names and values alternating. */
  readonly headers?: readonly string[];
  /** See `Overloaded.delay`. */
  readonly delay?: Promise<void> | null;
}

/** The outcome of an operation that has run. An answer that is too large becomes an error. */
export function outcomeOf(answer: JsonText | ExecutionResult, publicError: PublicError, requestId: string): Outcome {
  if (!isJsonText(answer)) return { kind: "result", result: publicResult(answer, publicError, requestId) };
  const failure = checkJsonSize(answer);
  return failure ? { kind: "result", result: { data: null, errors: [failure] } } : { kind: "text", text: answer };
}

/** A result as callers get it. One that is too large becomes an error. */
export function publicResult(result: ExecutionResult, publicError: PublicError, requestId: string): ExecutionResult {
  const failure = checkTextSize(result.data);
  return failure ? { data: null, errors: [failure] } : withPublicErrors(result, publicError, requestId);
}

/** Codes of refusals that change the HTTP status. Other errors are part of a result with status 200. */
const STATUS_CODES: ReadonlySet<FailureCode> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED", "UNAVAILABLE"]);

/** The outcome of an operation that was refused with this error, or that could not be run because of it. */
export function refusedOutcome(error: unknown, publicError: (error: GraphQLError) => GraphQLError): ResultOutcome {
  if (error instanceof RequestError) {
    const { status, allow } = error;
    const result = { errors: error.errors.map(publicError) };
    return { kind: "result", result, ...(status && { status }), ...(allow && { headers: ["allow", allow] }) };
  }
  const shown = publicError(graphQLErrorOf(error));
  const result = { data: null, errors: [shown] };
  if (error instanceof Overloaded)
    return {
      kind: "result",
      result,
      status: FAILURES[error.code].http,
      headers: ["retry-after", String(error.retryAfterSeconds)],
      delay: error.delay,
    };
  const status = statusOf(error, codeOf(shown));
  return { kind: "result", result, ...(status && { status }) };
}

/** Null for an error that is a part of a result. */
function statusOf(error: unknown, code: unknown): number | null {
  if (!(error instanceof GraphQLError)) return FAILURES.INTERNAL.http;
  return isFailureCode(code) && STATUS_CODES.has(code) ? FAILURES[code].http : null;
}
