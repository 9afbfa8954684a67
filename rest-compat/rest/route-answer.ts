import type { IncomingMessage } from "node:http";
import { Failure, quoted } from "../../core/errors/errors.ts";
import type { JsonText } from "../../core/graph/answer-text.ts";
import { requestInfo } from "../../core/limits/access/callers.ts";
import { createSender, type Sender } from "../../gateway/operation/access.ts";
import type { Outcome } from "../../gateway/operation/outcome.ts";
import { runOperation } from "../../gateway/operation/run-operation.ts";
import { failureOf } from "../graph/failures.ts";
import { loadOperation } from "../graph/operation.ts";
import { createRestOperation, type RestPipeline, requested } from "../graph/pipeline.ts";
import type { Dialect, Route } from "../routes.ts";
import type { Answer, RestRequest } from "./answer.ts";
import { checkedVariables, lackOf } from "./input/needs.ts";
import { compileVariables } from "./input/variables.ts";
import { parameterNames } from "./path.ts";
import { jsonReply, taggedReply, unchangedReply } from "./respond.ts";
import type { Unchanged } from "./revalidation/unchanged.ts";
import { formOfDialect, successStatus } from "./serialise/dialects.ts";
import { compileSerialiser, constantMembers, type Serialiser } from "./serialise/serialiser.ts";

export interface AnswerContext {
  readonly pipeline: RestPipeline;
  readonly unchanged: Unchanged;
}

/**
 * Compiles a route in one dialect: parameters, operation, serialiser. The operation is run by `runOperation`, like every other one. A resource
 * that the graph answers with null is `NOT_FOUND`.
 */
export function createRouteAnswer(route: Route, dialect: Dialect, { pipeline, unchanged }: AnswerContext): Answer {
  const { graph } = pipeline;
  const source = loadOperation((dialect === "hosted" && route.hostedOperation) || route.operation);
  // The graph writes the body itself if it can.
  const run = graph.prepareText?.(source.document, formOfDialect(dialect)) ?? graph.prepare(source.document);
  const operation = createRestOperation(route.id, source, pipeline, run);
  const pathNames = parameterNames(route.path);
  const readVariables = compileVariables(route, source, graph.schema);
  const bodyOf = compileBody(route, compileSerialiser(source, graph.schema, dialect));
  const { checkKey } = operation.rules();
  const senderOf = compileSender(route, pipeline, checkKey !== null);
  const status = successStatus(dialect, route.id);
  const { head, method } = route;
  return async (restRequest) => {
    const { request, requestId, work, params, headers } = restRequest;
    const sender = senderOf(restRequest);
    const conditional = head && request.headers["if-none-match"] !== undefined ? unchanged(request, head, work) : null;
    let lack: Failure | null = null;
    const outcome = await runOperation(pipeline, {
      read() {
        // A missing key is refused before wrong parameters are.
        checkKey?.(sender.client.apiKey);
        const variables = readVariables(restRequest);
        lack = lackOf(route.needs, variables);
        return requested(operation, lack && route.needs ? checkedVariables(route.needs, variables) : variables);
      },
      hasAnswer: conditional?.isCurrent,
      info: requestInfo(sender.client, requestId, work),
      sender,
      isStream: false,
    });
    if (conditional?.currentTag) return unchangedReply(conditional.currentTag);
    const body = bodyOf(outcome, headers);
    if (lack) throw lack;
    if (body === null) throw missing(pathNames, params);
    if (method !== "GET") return jsonReply(status, body);
    const reply = taggedReply(status, body);
    conditional?.remember(reply.etag);
    return reply;
  };
}

/** A metrics route ignores keys, unless it needs one. */
function compileSender({ base, units }: Route, pipeline: RestPipeline, needsKey: boolean) {
  const { callers } = pipeline;
  const clientOf = (request: IncomingMessage, headers: string[]) => {
    if (base !== "metrics") return callers.byKey(request, headers);
    const client = callers.onMetrics(request);
    return needsKey ? { ...client, apiKey: callers.byKey(request, headers).apiKey } : client;
  };
  return ({ request, headers }: RestRequest): Sender =>
    createSender(clientOf(request, headers), request, pipeline, { headers, fixedUnits: units });
}

/** Returns the JSON of a body in a dialect; null if the graph answers with null. Throws the failure of an operation that has failed. */
type BodyOf = (outcome: Outcome, headers: string[]) => JsonText | null;

function compileBody({ constants, headers: headerNames }: Route, serialise: Serialiser): BodyOf {
  const addMembers = constantMembers(constants);
  const textOf = (outcome: Outcome, headers: string[]): JsonText | null => {
    if (outcome.kind === "text") return outcome.text;
    if (outcome.kind === "events") throw new Error("a route is no subscription");
    const [error] = outcome.result.errors ?? [];
    if (error) throw refusal(withHeaderNames(failureOf(error), headerNames), outcome.status === undefined, headers);
    const body = outcome.result.data?.["body"];
    return body === null || body === undefined ? null : serialise(body);
  };
  if (!addMembers) return textOf;
  return (outcome, headers) => {
    const text = textOf(outcome, headers);
    return text === null ? null : addMembers(text.toString());
  };
}

/** Replaces the variable's name at the start of a message with the name of the header. */
function withHeaderNames(failure: Failure, headerNames: Route["headers"] = {}): Failure {
  const found = Object.entries(headerNames).find(([, variable]) => failure.message.startsWith(`${variable} `));
  if (!found) return failure;
  const [header, variable] = found;
  return new Failure(failure.code, header + failure.message.slice(variable.length), failure.originalError);
}

/** It is unknown when the graph accepts new requests again. */
const RETRY_AFTER_SECONDS = 60;

/** Adds the header that says when the caller may try again, if the graph has refused the operation: then no charge has added it. */
function refusal(failure: Failure, isOfGraph: boolean, headers: string[]): Failure {
  if (failure.code === "RATE_LIMITED" && isOfGraph) headers.push("retry-after", String(RETRY_AFTER_SECONDS));
  return failure;
}

function missing(names: readonly string[], params: RestRequest["params"]): Failure {
  const values = names.map((name) => `${name} ${quoted(params[name])}`);
  return new Failure("NOT_FOUND", `nothing was found for ${values.join(", ") || "this path"}`);
}
