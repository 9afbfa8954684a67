import { firstValue, JsonSyntaxError, partOf } from "../../http/json/scanner.ts";
import { INVALID_REQUEST, PARSE_ERROR } from "./error-codes.ts";
import { textOf } from "./json/go-text.ts";
import { kindOf, namedMembers, type RawJson } from "./json/raw-json.ts";

/** A JSON-RPC request as a node reads it: the members that could be read, and the first problem. */
export interface RpcRequest {
  readonly jsonrpc: string;
  readonly method: string;
  /** Null if absent or null. */
  readonly params: RawJson | null;
  /** Null for a notification. */
  readonly id: RawJson | null;
  readonly problem: { readonly code: number; readonly message: string } | null;
}

/** Reads the first JSON value of a body as a request; never throws. */
export function parseRpcRequest(body: Uint8Array): RpcRequest {
  try {
    const { typeError, ...request } = envelopeOf(partOf(body, firstValue(body)));
    if (typeError) return { ...request, problem: { code: PARSE_ERROR, message: typeError } };
    if (request.jsonrpc === "2.0") return { ...request, problem: null };
    return { ...request, problem: { code: INVALID_REQUEST, message: "jsonrpc must be 2.0" } };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { ...EMPTY, problem: { code: PARSE_ERROR, message: error.message } };
  }
}

interface Envelope {
  jsonrpc: string;
  method: string;
  params: RawJson | null;
  id: RawJson | null;
}

const EMPTY: Envelope = { jsonrpc: "", method: "", params: null, id: null };

/** Reads every member that has the right type. `typeError` is Go's message for the first member of another type. */
function envelopeOf(value: RawJson): Envelope & { typeError: string | null } {
  const read = { ...EMPTY, typeError: null as string | null };
  const kind = kindOf(value);
  if (kind !== "object" && kind !== "null")
    read.typeError = `json: cannot unmarshal ${kind} into Go value of type json2.serverRequest`;
  if (kind !== "object") return read;
  for (const { name, value: member } of namedMembers(value)) {
    const type = kindOf(member);
    if (name === "id" || name === "params") read[name] = type === "null" ? null : member;
    if (name !== "jsonrpc" && name !== "method") continue;
    if (type === "string") read[name] = textOf(member);
    // Like Go, a null does not change the value that an earlier member of the same name has set.
    else if (type !== "null")
      read.typeError ??= `json: cannot unmarshal ${type} into Go struct field serverRequest.${name} of type string`;
  }
  return read;
}
