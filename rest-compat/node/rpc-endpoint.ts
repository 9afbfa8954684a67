import type { IncomingMessage } from "node:http";
import type { GraphClient } from "../../core/graph-client.ts";
import { readBody } from "../http/body.ts";
import type { Desk, NodeAnswer, Opened } from "./access-control.ts";
import { compileAsk } from "./graph-call.ts";
import { type NodeReply, rpcReply, textReply } from "./http/reply.ts";
import { NO_ARGUMENT, readArguments } from "./rpc/arguments.ts";
import { findMethod, goName } from "./rpc/method-name.ts";
import { METHODS, type NodeMethod, type RpcPath } from "./rpc/methods.ts";
import { errorBody, problemBody, resultBody } from "./rpc/reply.ts";
import { parseRpcRequest, type RpcRequest } from "./rpc/request.ts";
import { write } from "./rpc/result-shape.ts";

/** JSON of the result of a method. */
type Run = (variables: Readonly<Record<string, unknown>>, requestId: string) => Promise<string>;
type Compiled = NodeMethod & { readonly run: Run };

type ReadRpc = { readonly rpc: RpcRequest; readonly error?: never } | { readonly rpc: null; readonly error: unknown };

/** Code of whatever a node's own handlers refuse. */
const SERVER_ERROR = -32000;
/** What a request costs that names no method. */
const UNITS = 1;

/** Answers the methods of one path, and whatever is sent there in place of a request. */
export function createRpc(path: RpcPath, graph: GraphClient, desk: Desk): NodeAnswer {
  const methods = new Map(
    METHODS.filter((method) => method.path === path).map((method) => compile(method, graph, desk)),
  );
  return async (opened) => {
    const { request } = opened;
    if (request.method !== "POST") return textReply(405, `rpc: POST method required, received ${request.method}`);
    const type = mediaType(request);
    if (type.toLowerCase() !== "application/json") return textReply(415, `rpc: unrecognized Content-Type: ${type}`);
    // Before anybody is refused: a refusal has the request's id.
    const read = await readRpc(request, desk.bodyLimitBytes);
    const { rpc } = read;
    try {
      const caller = desk.admit(request);
      if (rpc === null) throw read.error;
      const found = rpc.problem ? null : findMethod(methods, rpc.method);
      const method = found && "method" in found ? found.method : null;
      desk.charge(caller, method?.units ?? UNITS, opened.limitHeaders);
      if (rpc.problem) return rpcReply(200, problemBody(rpc, rpc.problem), false);
      if (found && "refusal" in found) return refusalOf(rpc, found.refusal);
      return await invoke(method as Compiled, rpc, opened);
    } catch (error) {
      return desk.refuse(error, rpc, opened);
    }
  };
}

/** The request, or why there is none; never rejects. */
async function readRpc(request: IncomingMessage, limitBytes: number): Promise<ReadRpc> {
  try {
    return { rpc: parseRpcRequest(await readBody(request, limitBytes)) };
  } catch (error) {
    return { rpc: null, error };
  }
}

function compile(method: NodeMethod, graph: GraphClient, desk: Desk): [name: string, method: Compiled] {
  const ask = compileAsk(graph, method.operation, desk.isPublic);
  const { field, result } = method;
  const run: Run = async (variables, requestId) => {
    const body = await ask(variables, requestId);
    return write(result, field === undefined ? body : body[field]);
  };
  return [goName(method.name) as string, { ...method, run }];
}

async function invoke(method: Compiled, rpc: RpcRequest, { requestId }: Opened): Promise<NodeReply> {
  const variables = readArguments(rpc.params, method.parameters);
  if (variables === null) return refusalOf(rpc, NO_ARGUMENT);
  return rpcReply(200, resultBody(rpc, await method.run(variables, requestId)), true);
}

function refusalOf(rpc: RpcRequest, message: string): NodeReply {
  return rpcReply(200, errorBody(rpc, { code: SERVER_ERROR, message }), false);
}

/** What stands before the first semicolon. */
function mediaType({ headers }: IncomingMessage): string {
  return (headers["content-type"] ?? "").split(";", 1)[0] as string;
}
