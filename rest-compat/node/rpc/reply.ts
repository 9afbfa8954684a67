import { PARSE_ERROR } from "./error-codes.ts";
import { goJson } from "./json/go-text.ts";
import { compacted, type RawJson } from "./json/raw-json.ts";
import type { RpcRequest } from "./request.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
}

/** The body of a success with the JSON of its result. Null for a notification. */
export function resultBody({ id }: Pick<RpcRequest, "id">, result: string): Buffer | null {
  return id === null ? null : bodyOf(`"result":${result}`, id);
}

/** The body of an error of a method. Null for a notification. */
export function errorBody({ id }: Pick<RpcRequest, "id">, error: RpcError): Buffer | null {
  return id === null ? null : bodyOf(`${errorStart(error)}null}`, id);
}

/**
 * The body of an error of Moraine's own. Null for a notification; a request that could not be read, or could not be parsed,
 * has a body with the id null.
 */
export function refusalBody(request: Pick<RpcRequest, "id" | "problem"> | null, error: RpcError): Buffer | null {
  const isParsed = request !== null && request.problem?.code !== PARSE_ERROR;
  const id = request?.id ?? null;
  return isParsed && id === null ? null : bodyOf(`${errorStart(error)}null}`, id);
}

/** The body of a node's error for an invalid envelope, with the request as `data`. Null for a notification that was parsed. */
export function problemBody(request: RpcRequest, problem: RpcError): Buffer | null {
  const { jsonrpc, method, params, id } = request;
  if (id === null && problem.code !== PARSE_ERROR) return null;
  const start = `${errorStart(problem)}{"jsonrpc":${goJson(jsonrpc)},"method":${goJson(method)},"params":`;
  return bodyOf(
    Buffer.concat([Buffer.from(start), echo(params), Buffer.from(',"id":'), echo(id), Buffer.from("}}")]),
    id,
  );
}

function errorStart({ code, message }: RpcError): string {
  return `"error":{"code":${code},"message":${goJson(message)},"data":`;
}

function echo(value: RawJson | null): Buffer {
  return value === null ? Buffer.from("null") : compacted(value);
}

/** Joins bytes, because an id is sent back unchanged and may contain bytes that are not UTF-8. */
function bodyOf(member: string | Buffer, id: RawJson | null): Buffer {
  const start = Buffer.from('{"jsonrpc":"2.0",');
  return Buffer.concat([start, Buffer.from(member), Buffer.from(',"id":'), echo(id), Buffer.from("}\n")]);
}
