import { textOf } from "./json/go-text.ts";
import { kindOf, namedMembers, partOf, type RawJson } from "./json/raw-json.ts";
import { firstValue, JsonSyntaxError } from "./json/scanner.ts";
import { PARSE_ERROR } from "./reply.ts";

/** The envelope as a node reads it: as much of it as could be read, and the first thing wrong with it. */
export interface RpcRequest {
  readonly jsonrpc: string;
  readonly method: string;
  /** Null when not given, or given as null. */
  readonly params: RawJson | null;
  /** Null for a notification. */
  readonly id: RawJson | null;
  readonly problem: { readonly code: number; readonly message: string } | null;
}

const INVALID_REQUEST = -32600;

/** Reads the first JSON value of a body as a request; never throws. */
export function parseRpcRequest(body: Uint8Array): RpcRequest {
  try {
    const { wrong, ...request } = envelopeOf(partOf(body, firstValue(body)));
    if (wrong) return { ...request, problem: { code: PARSE_ERROR, message: wrong } };
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

/** What has the right type is read, whatever else has not; `wrong` says what was first, in Go's words. */
function envelopeOf(value: RawJson): Envelope & { wrong: string | null } {
  const read = { ...EMPTY, wrong: null as string | null };
  const kind = kindOf(value);
  if (kind !== "object" && kind !== "null")
    read.wrong = `json: cannot unmarshal ${kind} into Go value of type json2.serverRequest`;
  if (kind !== "object") return read;
  for (const { name, value: member } of namedMembers(value)) {
    const type = kindOf(member);
    if (name === "id" || name === "params") read[name] = type === "null" ? null : member;
    if (name !== "jsonrpc" && name !== "method") continue;
    if (type === "string") read[name] = textOf(member);
    // A null leaves what a member of that name before it has set.
    else if (type !== "null")
      read.wrong ??= `json: cannot unmarshal ${type} into Go struct field serverRequest.${name} of type string`;
  }
  return read;
}
