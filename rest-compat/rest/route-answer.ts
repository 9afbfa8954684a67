import type { IncomingMessage } from "node:http";
import { GraphQLError, parse } from "graphql";
import { Failure, quoted } from "../../core/errors/errors.ts";
import { isJsonText, type JsonText } from "../../core/graph/answer-text.ts";
import type { GraphClient, Operation } from "../../core/graph/graph-client.ts";
import { compileCost } from "../../core/graph/operation-cost.ts";
import { type Callers, requestInfo } from "../../core/limits/access/callers.ts";
import type { KeyRequirements } from "../../core/limits/access/key-requirements.ts";
import type { ChargeCaller } from "../../core/limits/access/rate-limit.ts";
import type { Admission } from "../../core/limits/admission/admission.ts";
import { compileCostClass } from "../../core/limits/admission/cost-class.ts";
import { refuseOverload, runInTurn } from "../../core/limits/admission/turns.ts";
import { failureOf } from "../graph/failures.ts";
import { loadOperation, type RestOperation } from "../graph/operation.ts";
import type { Dialect, Route } from "../routes.ts";
import type { Answer, RestRequest } from "./answer.ts";
import { compileVariables, type ParseVariables } from "./input/variables.ts";
import { parameterNames } from "./path.ts";
import { jsonReply, taggedReply, unchangedReply } from "./respond.ts";
import type { Unchanged } from "./revalidation/unchanged.ts";
import { formOfDialect, successStatus } from "./serialise/dialects.ts";
import { compileSerialiser, constantMembers, type Serialiser } from "./serialise/serialiser.ts";

export interface AnswerContext {
  readonly graph: GraphClient;
  readonly callers: Callers;
  readonly charge: ChargeCaller;
  readonly admission: Admission;
  readonly requirements: KeyRequirements;
  readonly unchanged: Unchanged;
}

/**
 * Compiles a route in one dialect: caller and rate limit, parameters, operation, serialiser. A resource that the graph
 * answers with null is `NOT_FOUND`.
 */
export function createRouteAnswer(route: Route, dialect: Dialect, context: AnswerContext): Answer {
  const { graph, callers, charge, admission, requirements, unchanged } = context;
  const operation = loadOperation((dialect === "hosted" && route.hostedOperation) || route.operation);
  const pathNames = parameterNames(route.path);
  const readVariables = compileVariables(route, operation, graph.schema);
  const run = prepareBody(graph, operation, dialect, route);
  const document = parse(operation.document);
  const checkKey = requirements.ofRoute(route.id, document);
  const costClassOf = compileCostClass(document, compileCost(graph.schema, document, null));
  const status = successStatus(dialect, route.id);
  const { head, method } = route;
  const callerOf: Callers["byKey"] = route.base === "metrics" ? callers.onMetrics : callers.byKey;
  const isConditional = ({ headers }: IncomingMessage) => head !== undefined && headers["if-none-match"] !== undefined;
  return async (restRequest) => {
    const { request, requestId, params, headers } = restRequest;
    const caller = callerOf(request, headers);
    const read = readOrFail(readVariables, restRequest);
    const costClass = read instanceof Failure ? null : costClassOf(read);
    const applicant = { whole: restRequest.work, caller: callers.shareOf(caller, request), costClass };
    // A refused request is not charged, and nothing else is done for it. What the caller already has is sent without a turn.
    const refuse = () => (isConditional(request) ? null : refuseOverload(admission, applicant));
    const refused = refuse();
    if (refused) throw refused;
    const waiting = charge(caller, route.units, headers, refuse);
    if (waiting) await waiting;
    // A metrics route ignores keys, unless it needs one.
    checkKey?.((caller.apiKey ? caller : callers.byKey(request, headers)).apiKey);
    if (read instanceof Failure) throw read;
    callers.requireNetwork(caller, read);
    const conditional =
      head && isConditional(request) ? await unchanged.of(request, head, read, restRequest.work) : null;
    if (conditional?.currentTag) return unchangedReply(conditional.currentTag);
    const answer = await runInTurn(admission, applicant, (work) => run(read, requestInfo(caller, requestId, work)));
    if (answer instanceof GraphQLError) throw refusal(withHeaderNames(failureOf(answer), route.headers), headers);
    if (answer === null) throw missing(pathNames, params);
    if (method !== "GET") return jsonReply(status, answer);
    const reply = taggedReply(status, answer);
    conditional?.remember(reply.etag);
    return reply;
  };
}

/** The failure if the parameters are wrong. Such a request is charged before it is refused. */
function readOrFail(read: ParseVariables, restRequest: RestRequest): ReturnType<ParseVariables> | Failure {
  try {
    return read(restRequest);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Runs an operation. Returns the JSON of its body in a dialect; the first error; or null if the graph answers with null. */
type RunBody = (...args: Parameters<Operation>) => Promise<JsonText | GraphQLError | null>;

/** The graph writes the body itself if it can. */
function prepareBody(graph: GraphClient, operation: RestOperation, dialect: Dialect, { constants }: Route): RunBody {
  const { document } = operation;
  const run = graph.prepareText?.(document, formOfDialect(dialect)) ?? graph.prepare(document);
  const serialise = compileSerialiser(operation, graph.schema, dialect);
  const addMembers = constantMembers(constants);
  return async (variables, info) => {
    const answer = await run(variables, info);
    if (!isJsonText(answer) && answer.errors?.[0]) return answer.errors[0];
    const body = isJsonText(answer) ? answer : bodyText(answer.data?.["body"], serialise);
    return body !== null && addMembers ? addMembers(body.toString()) : body;
  };
}

const bodyText = (body: unknown, serialise: Serialiser): string | null =>
  body === null || body === undefined ? null : serialise(body);

/** Replaces the variable's name at the start of a message with the name of the header. */
function withHeaderNames(failure: Failure, headerNames: Route["headers"] = {}): Failure {
  const found = Object.entries(headerNames).find(([, variable]) => failure.message.startsWith(`${variable} `));
  if (!found) return failure;
  const [header, variable] = found;
  return new Failure(failure.code, header + failure.message.slice(variable.length), failure.originalError);
}

/** It is unknown when the graph accepts new requests again. */
const RETRY_AFTER_SECONDS = 60;

/** Adds the header that says when the caller may try again. */
function refusal(failure: Failure, headers: string[]): Failure {
  if (failure.code === "RATE_LIMITED") headers.push("retry-after", String(RETRY_AFTER_SECONDS));
  return failure;
}

function missing(names: readonly string[], params: RestRequest["params"]): Failure {
  const values = names.map((name) => `${name} ${quoted(params[name])}`);
  return new Failure("NOT_FOUND", `nothing was found for ${values.join(", ") || "this path"}`);
}
