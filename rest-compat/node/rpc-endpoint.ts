import type { IncomingMessage } from "node:http";
import { readBody } from "../../core/http/body.ts";
import { requestInfo } from "../../core/limits/access/callers.ts";
import { createSender, type Sender } from "../../gateway/operation/access.ts";
import type { Operation } from "../../gateway/operation/operation.ts";
import { runOperation } from "../../gateway/operation/run-operation.ts";
import { createRestOperation, type RestPipeline, requested } from "../graph/pipeline.ts";
import type { AccessControl, NodeAnswer, NodeRequest } from "./access-control.ts";
import { type GraphCall, prepareCall } from "./graph-call.ts";
import { type NodeReply, rpcReply, textReply } from "./http/reply.ts";
import { INVALID_ARGUMENT, readArguments } from "./rpc/arguments.ts";
import { findMethod, goName } from "./rpc/method-name.ts";
import { METHODS, type NodeMethod, type RpcPath } from "./rpc/methods.ts";
import { errorBody, problemBody, resultBody } from "./rpc/reply.ts";
import { parseRpcRequest, type RpcRequest } from "./rpc/request.ts";
import { write } from "./rpc/result-shape.ts";

interface PreparedMethod {
  readonly method: NodeMethod;
  readonly operation: Operation;
  readonly bodyOf: GraphCall["bodyOf"];
}

/** The request that was read, or the error that prevented it. */
type ReadResult =
  | { readonly rpc: RpcRequest; readonly error?: never }
  | { readonly rpc: null; readonly error: unknown };

/** The code of every error of a node's own methods. */
const SERVER_ERROR = -32000;
/** Compute units of a request for an unknown method. */
const UNKNOWN_METHOD_UNITS = 1;

export interface RpcEndpointContext {
  readonly pipeline: RestPipeline;
  readonly access: AccessControl;
}

/** Answers JSON-RPC requests to one path, and the wrong verbs, content types and bodies that it may receive. */
export function createRpcEndpoint(path: RpcPath, context: RpcEndpointContext): NodeAnswer {
  const { pipeline, access } = context;
  const methods = new Map(METHODS.filter((method) => method.path === path).map((method) => prepare(method, context)));
  const senderOf = (nodeRequest: NodeRequest, fixedUnits: number): Sender => {
    const { request, limitHeaders: headers } = nodeRequest;
    return createSender(access.identify(nodeRequest), request, pipeline, { headers, fixedUnits });
  };
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
      if (rpc === null) {
        access.identify(nodeRequest);
        limitHeaders.push(...access.limitHeadersOf(request));
        throw read.error;
      }
      const found = rpc.problem ? null : findMethod(methods, rpc.method);
      const prepared = found && "method" in found ? found.method : null;
      const sender = senderOf(nodeRequest, prepared?.method.units ?? UNKNOWN_METHOD_UNITS);
      const variables = prepared && readArguments(rpc.params, prepared.method.parameters);
      if (prepared && variables) return await invoke(prepared, variables, { rpc, nodeRequest, sender, pipeline });
      await sender.payment.settle();
      prepared?.operation.rules().checkKey?.(sender.client.apiKey);
      if (rpc.problem) return rpcReply(200, problemBody(rpc, rpc.problem), false);
      return serverError(rpc, found && "refusal" in found ? found.refusal : INVALID_ARGUMENT);
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

function prepare(method: NodeMethod, { pipeline, access }: RpcEndpointContext): [name: string, method: PreparedMethod] {
  const { source, run, bodyOf } = prepareCall(pipeline.graph, method.operation, access);
  const operation = createRestOperation(method.name, source, pipeline, run);
  // Requests to a node have a limit of their own, so they take no place of others.
  return [goName(method.name) as string, { method, operation: { ...operation, costClassOf: () => null }, bodyOf }];
}

interface Invocation {
  readonly rpc: RpcRequest;
  readonly nodeRequest: NodeRequest;
  readonly sender: Sender;
  readonly pipeline: RestPipeline;
}

async function invoke(
  { method, operation, bodyOf }: PreparedMethod,
  variables: Readonly<Record<string, unknown>>,
  { rpc, nodeRequest, sender, pipeline }: Invocation,
): Promise<NodeReply> {
  const { requestId, work } = nodeRequest;
  const outcome = await runOperation(pipeline, {
    read: () => requested(operation, variables),
    info: requestInfo(sender.client, requestId, work),
    sender,
    isStream: false,
  });
  if (outcome.kind !== "result") throw new Error("a method has a result");
  const body = bodyOf(outcome.result);
  const result = write(method.result, method.field === undefined ? body : body[method.field]);
  return rpcReply(200, resultBody(rpc, result), true);
}

function serverError(rpc: RpcRequest, message: string): NodeReply {
  return rpcReply(200, errorBody(rpc, { code: SERVER_ERROR, message }), false);
}

/** The content type without its parameters. */
function mediaType({ headers }: IncomingMessage): string {
  return (headers["content-type"] ?? "").split(";", 1)[0] as string;
}
