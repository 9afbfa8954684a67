import { GraphQLError } from "graphql";

/** Every way to fail on purpose: HTTP status and status text of REST, error code of JSON-RPC. The key is GraphQL's `extensions.code`. */
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

/** The only error thrown on purpose; anything else is a bug and reaches callers as `INTERNAL` without detail. */
export class Failure extends GraphQLError {
  readonly code: FailureCode;

  /** `message` is for callers: it names the parameter, the rule and the value got. `cause` is only logged. */
  constructor(code: FailureCode, message: string, cause?: unknown) {
    super(message, { extensions: { code }, ...(cause instanceof Error ? { originalError: cause } : {}) });
    this.name = "Failure";
    this.code = code;
  }
}

/** True for a code of the table, so that codes that came over the wire can be trusted. */
export function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === "string" && Object.hasOwn(FAILURES, code);
}

/** A value as it is quoted in a message: JSON, cut at 100 characters. */
export function quoted(value: unknown): string {
  const text = jsonOf(value);
  return text.length > 100 ? `${text.slice(0, 100).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "something that cannot be shown";
  }
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The node answered something that cannot be true. Nothing of it is written, and the chain stops until it answers well. */
export class BadUpstreamData extends Error {
  override readonly name = "BadUpstreamData";
}
