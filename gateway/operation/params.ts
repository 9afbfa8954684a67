import { messageOf } from "../../core/errors/errors.ts";
import { isObject } from "../../core/formats/json.ts";
import { type RequestError, requestError } from "./request-error.ts";

/** What a request says about the operation that it wants to run. */
export interface OperationParams {
  /** The document; null if there is none. */
  readonly query: string | null;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The hash or id of a persisted document; null if there is none. */
  readonly persistedHash: string | null;
}

/** The members of a JSON body, or of the payload of a WebSocket message. Others are ignored, as GraphQL over HTTP asks. */
export function paramsOfBody(body: unknown): OperationParams {
  if (!isObject(body)) throw badRequest("the body must be a JSON object with a query");
  const { query, operationName, variables, extensions } = body;
  return {
    query: textOf("query", query),
    operationName: textOf("operationName", operationName),
    variables: objectOf("variables", variables) ?? {},
    persistedHash: persistedHashOf(objectOf("extensions", extensions)),
  };
}

/** The parameters of a URL, in which `variables` and `extensions` are JSON. */
export function paramsOfUrl(parameters: URLSearchParams): OperationParams {
  return paramsOfBody({
    query: parameters.get("query"),
    operationName: parameters.get("operationName"),
    variables: jsonOf("variables", parameters),
    extensions: jsonOf("extensions", parameters),
  });
}

export function badRequest(message: string): RequestError {
  return requestError("BAD_REQUEST", message, 400);
}

/** Null for an absent or an empty text. */
function textOf(name: string, value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return value;
  throw badRequest(`${name} must be a string`);
}

function objectOf(name: string, value: unknown): Readonly<Record<string, unknown>> | null {
  if (value === undefined || value === null) return null;
  if (isObject(value)) return value;
  throw badRequest(`${name} must be a JSON object`);
}

function jsonOf(name: string, parameters: URLSearchParams): unknown {
  const text = parameters.get(name);
  if (text === null || text === "") return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`${name} must be JSON: ${messageOf(error)}`);
  }
}

function persistedHashOf(extensions: Readonly<Record<string, unknown>> | null): string | null {
  const persisted = extensions?.["persistedQuery"];
  if (!isObject(persisted) || persisted["version"] !== 1) return null;
  const hash = persisted["sha256Hash"];
  return typeof hash === "string" ? hash : null;
}
