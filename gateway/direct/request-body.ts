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
  if (!isObject(body) || !Object.keys(body).every((name) => MEMBERS.has(name))) return null;
  const { query, operationName = null, variables = null } = body;
  if (typeof query !== "string" || query === "") return null;
  if (operationName !== null && typeof operationName !== "string") return null;
  if (variables !== null && !isObject(variables)) return null;
  return { query, operationName, variables: variables ?? {} };
}
