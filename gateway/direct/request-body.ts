import type { IncomingMessage } from "node:http";
import { INTERNAL_TOKEN_HEADER } from "../../core/access/internal-token.ts";
import { isObject, parseJson } from "../../core/json.ts";

/** A query in the body of a request, with nothing that the runtime treats in a special way. */
export interface PlainRequest {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
}

const MEMBERS: ReadonlySet<string> = new Set(["query", "operationName", "variables"]);

/** Parses a body; null if the runtime has to answer it, for example because it is not valid or has extensions. */
export function parsePlainRequest(text: string): PlainRequest | null {
  const body = parseJson(text);
  return isObject(body) && Object.keys(body).every((name) => MEMBERS.has(name)) ? plainOperation(body) : null;
}

/** Null if the runtime has to answer the operation. */
export function plainOperation(body: Readonly<Record<string, unknown>>): PlainRequest | null {
  const { query, operationName = null, variables = null } = body;
  if (typeof query !== "string" || query === "") return null;
  if (operationName !== null && typeof operationName !== "string") return null;
  if (variables !== null && !isObject(variables)) return null;
  return { query, operationName, variables: variables ?? {} };
}

const JSON_TYPE = /^application\/json *(;|$)/;

/** True for a request with JSON, without a key or a token. */
export function isPlain({ headers }: IncomingMessage, keyHeaders: readonly string[]): boolean {
  return (
    JSON_TYPE.test(headers["content-type"] ?? "") &&
    headers["content-encoding"] === undefined &&
    headers[INTERNAL_TOKEN_HEADER] === undefined &&
    keyHeaders.every((name) => headers[name] === undefined)
  );
}
