// Not from "graphql": every command loads this file, and few need the rest of that package.
import { GraphQLError } from "graphql/error/GraphQLError.js";
import { isVariableError, variableOf } from "./variable-errors.ts";

/**
 * Every failure that callers can get, by GraphQL's `extensions.code`: HTTP status and status text of REST, error code of
 * JSON-RPC.
 */
export const FAILURES = {
  INVALID_PARAMETER: { http: 400, status: "Bad Request", rpc: -32602 },
  NODE_REFUSED: { http: 400, status: "Bad Request", rpc: -32000 },
  OPERATION_TOO_COMPLEX: { http: 400, status: "Bad Request", rpc: -32602 },
  UNAUTHENTICATED: { http: 401, status: "Unauthorized", rpc: -32001 },
  FORBIDDEN: { http: 403, status: "Forbidden", rpc: -32003 },
  NOT_PUBLIC: { http: 404, status: "Not Found", rpc: -32601 },
  NOT_FOUND: { http: 404, status: "Not Found", rpc: -32004 },
  RATE_LIMITED: { http: 429, status: "Too Many Requests", rpc: -32005 },
  INTERNAL: { http: 500, status: "Internal Server Error", rpc: -32603 },
  UPSTREAM_FAILED: { http: 502, status: "Bad Gateway", rpc: -32007 },
  UNAVAILABLE: { http: 503, status: "Service Unavailable", rpc: -32006 },
} as const;

export type FailureCode = keyof typeof FAILURES;

/** The only error that Moraine throws on purpose. Callers get any other error as `INTERNAL`, without details. */
export class Failure extends GraphQLError {
  readonly code: FailureCode;

  /** Callers read `message`: it names the parameter, the rule and the value that was given. `cause` is only logged. */
  constructor(code: FailureCode, message: string, cause?: unknown) {
    super(message, { extensions: { code }, ...(cause instanceof Error ? { originalError: cause } : {}) });
    this.name = "Failure";
    this.code = code;
  }
}

/** The JSON of an answer of GraphQL over HTTP to a request that is refused. */
export function graphQLErrorBody(code: FailureCode, message: string): string {
  return JSON.stringify({ errors: [{ message, extensions: { code } }] });
}

/** True if the value, which may come from another process, is a code of the table. */
export function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === "string" && Object.hasOwn(FAILURES, code);
}

/** Error codes of the GraphQL libraries, and the failure that each of them means. */
const LIBRARY_CODES: ReadonlyMap<unknown, FailureCode> = new Map([
  ["BAD_USER_INPUT", "INVALID_PARAMETER"],
  ["DOWNSTREAM_SERVICE_ERROR", "UPSTREAM_FAILED"],
  ["SUBREQUEST_HTTP_ERROR", "UPSTREAM_FAILED"],
  ["GATEWAY_TIMEOUT", "UNAVAILABLE"],
  ["TIMEOUT_ERROR", "UNAVAILABLE"],
]);

/** Messages that callers get instead of a library's own message, which may contain host names and other internals. */
const MESSAGES_FOR_LIBRARY_CODES: Readonly<Partial<Record<FailureCode, string>>> = {
  UPSTREAM_FAILED: "a part of the service gave no valid answer",
  UNAVAILABLE: "a part of the service is not available, try again later",
};

/** Codes that GraphQL servers give to a document that it cannot parse or validate. GraphQL clients know them. */
export const DOCUMENT_ERROR_CODES: ReadonlySet<unknown> = new Set([
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
]);

/** Codes that GraphQL servers give to requests that they cannot run. */
export const REQUEST_ERROR_CODES: ReadonlySet<unknown> = new Set([
  ...DOCUMENT_ERROR_CODES,
  "OPERATION_RESOLUTION_FAILURE",
  "BAD_REQUEST",
  "PERSISTED_QUERY_NOT_FOUND",
  "PERSISTED_QUERY_NOT_SUPPORTED",
]);

/**
 * Translates an error to the failure that callers get. The error may come from this process, a GraphQL library or another
 * process. Null if the error is a bug, or has one of the codes that GraphQL servers define.
 */
export function translateError(error: Error): Failure | null {
  const failure = wrappedFailure(error);
  if (failure) return failure.code === "INTERNAL" ? null : withVariableName(error, failure);
  if (!(error instanceof GraphQLError)) return null;
  const code = codeOf(error);
  if (isFailureCode(code)) return code === "INTERNAL" ? null : new Failure(code, error.message, error);
  const translated = LIBRARY_CODES.get(code);
  if (translated) return new Failure(translated, MESSAGES_FOR_LIBRARY_CODES[translated] ?? error.message, error);
  return code === undefined && !error.path && isVariableError(error)
    ? new Failure("INVALID_PARAMETER", error.message, error)
    : null;
}

/** The code of a GraphQL error. */
export function codeOf(error: GraphQLError): unknown {
  return error.extensions["code"];
}

/** What was thrown, as a GraphQL error. */
export function graphQLErrorOf(thrown: unknown): GraphQLError {
  return thrown instanceof GraphQLError
    ? thrown
    : new GraphQLError(messageOf(thrown), { originalError: thrown as Error });
}

/** The innermost `originalError` of an error; the error itself if it has none. */
export function rootCause(error: Error): Error {
  const original = error instanceof GraphQLError ? error.originalError : undefined;
  return original ? rootCause(original) : error;
}

function wrappedFailure(error: Error): Failure | null {
  if (error instanceof Failure) return error;
  return error instanceof GraphQLError && error.originalError ? wrappedFailure(error.originalError) : null;
}

/** Adds the name of the variable to the failure of a scalar, which contains only the rule. */
function withVariableName(error: Error, failure: Failure): Failure {
  const variable = error instanceof GraphQLError ? variableOf(error) : undefined;
  return variable ? new Failure(failure.code, `${variable} ${failure.message}`, failure) : failure;
}

/**
 * One failure for a request that breaks several rules: the message for each rule is on a line of its own. The message of a single
 * failure never contains a line break.
 */
export function joinedFailure(failures: readonly Failure[]): Failure {
  const [only, ...others] = failures;
  if (only && others.length === 0) return only;
  return new Failure("INVALID_PARAMETER", failures.map(({ message }) => message).join("\n"));
}

/** Formats a value for a message: JSON, cut after 100 characters. */
export function quoted(value: unknown): string {
  const text = jsonOf(value);
  return text.length > 100 ? `${text.slice(0, 100).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "a value without JSON form";
  }
}

/** The `code` of a thrown value, such as that of an error of the system or of PostgreSQL; undefined if it has none. */
export function errorCode(error: unknown): unknown {
  return (Object(error) as { readonly code?: unknown }).code;
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Data from a node is inconsistent, or contradicts the indexed data. None of it is written. The chain stops until the data is
 * valid.
 */
export class BadUpstreamData extends Error {
  override readonly name = "BadUpstreamData";

  constructor(
    message: string,
    /** For the log only, such as the node's words; null if there is nothing to add. */
    readonly detail: string | null = null,
  ) {
    super(message);
  }
}
