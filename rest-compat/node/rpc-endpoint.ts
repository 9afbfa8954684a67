import type { IncomingMessage } from "node:http";
import { parse } from "graphql";
import type { GraphClient, RequestInfo } from "../../core/graph/graph-client.ts";
import { readBody } from "../../core/http/body.ts";
import { requestInfo } from "../../core/limits/access/callers.ts";
import type { CheckKey, KeyRequirements } from "../../core/limits/access/key-requirements.ts";
import { loadOperation } from "../graph/operation.ts";
import type { AccessControl, NodeAnswer } from "./access-control.ts";
import { prepareCall } from "./graph-call.ts";
import { type NodeReply, rpcReply, textReply } from "./http/reply.ts";
import { INVALID_ARGUMENT, readArguments } from "./rpc/arguments.ts";
import { findMethod, goName } from "./rpc/method-name.ts";
import { METHODS, type NodeMethod, type RpcPath } from "./rpc/methods.ts";
import { errorBody, problemBody, resultBody } from "./rpc/reply.ts";
import { parseRpcRequest, type RpcRequest } from "./rpc/request.ts";
import { write } from "./rpc/result-shape.ts";

/** Resolves with the JSON of a method's result. */
type Run = (variables: Readonly<Record<string, unknown>>, info: RequestInfo) => Promise<string>;
type PreparedMethod = NodeMethod & { readonly run: Run; readonly checkKey: CheckKey | null };

/** The request that was read, or the error that prevented it. */
type ReadResult =
  | { readonly rpc: RpcRequest; readonly error?: never }
  | { readonly rpc: null; readonly error: unknown };

/** The code of every error of a node's own methods. */
const SERVER_ERROR = -32000;
/** Compute units of a request for an unknown method. */
const UNKNOWN_METHOD_UNITS = 1;

export interface RpcEndpointContext {
  readonly graph: GraphClient;
  readonly access: AccessControl;
  readonly requirements: KeyRequirements;
}

/** Answers JSON-RPC requests to one path, and the wrong verbs, content types and bodies that it may receive. */
export function createRpcEndpoint(path: RpcPath, context: RpcEndpointContext): NodeAnswer {
  const { access } = context;
  const methods = new Map(METHODS.filter((method) => method.path === path).map((method) => prepare(method, context)));
  return async (nodeRequest) => {
    const { request, limitHeaders } = nodeRequest;
    const refusal = refusalOf(request);
    if (refusal) {
      limitHeaders.push(...access.limitHeadersOf(request));
      return refusal;
    }
    // The request is read before access is checked, because a refusal contains the request's id.
    const read = await readRpc(request, access.bodyLimitBytes);
    const { rpc } = read;
    try {
      const caller = access.identify(nodeRequest);
      if (rpc === null) {
        limitHeaders.push(...access.limitHeadersOf(request));
        throw read.error;
      }
      const found = rpc.problem ? null : findMethod(methods, rpc.method);
      const method = found && "method" in found ? found.method : null;
      const waiting = access.charge(caller, method?.units ?? UNKNOWN_METHOD_UNITS, limitHeaders);
      if (waiting) await waiting;
      method?.checkKey?.(caller.apiKey);
      if (rpc.problem) return rpcReply(200, problemBody(rpc, rpc.problem), false);
      if (found && "refusal" in found) return serverError(rpc, found.refusal);
      return await invoke(method as PreparedMethod, rpc, requestInfo(caller, nodeRequest.requestId, nodeRequest.work));
    } catch (error) {
      return access.refuse(error, rpc, nodeRequest);
    }
  };
}

/** The reply to a request that is no JSON-RPC by its verb or content type; null for others. */
function refusalOf(request: IncomingMessage): NodeReply | null {
  if (request.method !== "POST") return textReply(405, `rpc: POST method required, received ${request.method}`);
  const type = mediaType(request);
  return type.toLowerCase() === "application/json" ? null : textReply(415, `rpc: unrecognized Content-Type: ${type}`);
}

/** Never rejects. */
async function readRpc(request: IncomingMessage, limitBytes: number): Promise<ReadResult> {
  try {
    return { rpc: parseRpcRequest(await readBody(request, limitBytes)) };
  } catch (error) {
    return { rpc: null, error };
  }
}

function prepare(
  method: NodeMethod,
  { graph, access, requirements }: RpcEndpointContext,
): [name: string, method: PreparedMethod] {
  const call = prepareCall(graph, method.operation, access);
  const { field, result } = method;
  const run: Run = async (variables, info) => {
    const body = await call(variables, info);
    return write(result, field === undefined ? body : body[field]);
  };
  const checkKey = requirements.ofRoute(method.name, parse(loadOperation(method.operation).document));
  return [goName(method.name) as string, { ...method, run, checkKey }];
}

async function invoke(method: PreparedMethod, rpc: RpcRequest, info: RequestInfo): Promise<NodeReply> {
  const variables = readArguments(rpc.params, method.parameters);
  if (variables === null) return serverError(rpc, INVALID_ARGUMENT);
  return rpcReply(200, resultBody(rpc, await method.run(variables, info)), true);
}

function serverError(rpc: RpcRequest, message: string): NodeReply {
  return rpcReply(200, errorBody(rpc, { code: SERVER_ERROR, message }), false);
}

/** The content type without its parameters. */
function mediaType({ headers }: IncomingMessage): string {
  return (headers["content-type"] ?? "").split(";", 1)[0] as string;
}
