import { goJson } from "./json/go-text.ts";
import { compacted, type RawJson } from "./json/raw-json.ts";
import type { RpcRequest } from "./request.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
}

type Asked = Pick<RpcRequest, "id">;

/** Body of a success, of the JSON of its result. Null when nobody waits for one. */
export function resultBody({ id }: Asked, result: string): Buffer | null {
  return id === null ? null : bodyOf(`"result":${result}`, id);
}

/** Body of an error. Null when nobody waits for one. */
export function errorBody({ id }: Asked, error: RpcError): Buffer | null {
  return id === null ? null : bodyOf(`${errorStart(error)}null}`, id);
}

/** Body of a refusal of our own. What could not be read is told even when nobody seems to wait; null: there is no request. */
export function refusalBody(request: Pick<RpcRequest, "id" | "problem"> | null, error: RpcError): Buffer | null {
  const isRead = request !== null && request.problem?.code !== PARSE_ERROR;
  const id = request?.id ?? null;
  return isRead && id === null ? null : bodyOf(`${errorStart(error)}null}`, id);
}

/** Body of what a node says of an envelope that it cannot take: a parse error is told even when nobody waits. */
export function problemBody(request: RpcRequest, problem: RpcError): Buffer | null {
  const { jsonrpc, method, params, id } = request;
  if (id === null && problem.code !== PARSE_ERROR) return null;
  const start = `${errorStart(problem)}{"jsonrpc":${goJson(jsonrpc)},"method":${goJson(method)},"params":`;
  return bodyOf(
    Buffer.concat([Buffer.from(start), echo(params), Buffer.from(',"id":'), echo(id), Buffer.from("}}")]),
    id,
  );
}

export const PARSE_ERROR = -32700;

function errorStart({ code, message }: RpcError): string {
  return `"error":{"code":${code},"message":${goJson(message)},"data":`;
}

function echo(value: RawJson | null): Buffer {
  return value === null ? Buffer.from("null") : compacted(value);
}

/** Of bytes, as an id that is sent back need be no UTF-8. */
function bodyOf(member: string | Buffer, id: RawJson | null): Buffer {
  const start = Buffer.from('{"jsonrpc":"2.0",');
  return Buffer.concat([start, Buffer.from(member), Buffer.from(',"id":'), echo(id), Buffer.from("}\n")]);
}
