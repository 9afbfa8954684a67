import type { IncomingMessage, ServerResponse } from "node:http";
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, getOperationAST } from "graphql";
import { type Caller, type Callers, NO_LIMITS, requestInfo } from "../../core/access/callers.ts";
import { type ChargeCaller, smallerLimit } from "../../core/access/rate-limit.ts";
import type { Admission } from "../../core/admission/admission.ts";
import { heavyTurn } from "../../core/admission/heavy-turns.ts";
import { Overloaded } from "../../core/admission/overloaded.ts";
import { runInTurn } from "../../core/admission/run-entered.ts";
import { isJsonText, type JsonText } from "../../core/answer-text/answer-text.ts";
import { FAILURES, Failure, graphQLErrorOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { OTHER_OPERATIONS, observeOperation } from "../../core/observability/observe-graph.ts";
import { requestIdOf } from "../../core/observability/request-id.ts";
import { callerLeft } from "../../core/observability/request-scope.ts";
import type { PassThrough } from "../pass-through.ts";
import { isLong, type KnownDocuments } from "../pipeline/known-documents.ts";
import { checkJsonSize, checkTextSize } from "../pipeline/limits/text-size.ts";
import type { OperationCosts } from "../pipeline/operation-cost.ts";
import { type OperationArgs, perOperation } from "../pipeline/per-operation.ts";
import { asGraphQLError, publicError } from "../public-error.ts";
import { type AnswerType, acceptedType } from "./accepted-type.ts";
import { compileDirectAnswer, type DirectAnswer } from "./direct-operation.ts";
import { isPlain, type PlainRequest, parsePlainRequest } from "./request-body.ts";
import { sendAnswer } from "./send-answer.ts";

export interface DirectQueriesOptions {
  readonly schema: GraphQLSchema;
  readonly passThrough: PassThrough;
  readonly documents: KnownDocuments;
  readonly costOf: OperationCosts;
  readonly callers: Pick<Callers, "byKey" | "shareOf">;
  readonly charge: ChargeCaller;
  readonly keyHeaders: readonly string[];
  readonly admission: Admission;
  readonly logger: Logger;
}

/** Answers queries without the runtime, which needs more processor time for HTTP than most queries for their data. */
export interface DirectQueries {
  /** Answers a POST request with this body, and returns true. Returns false if the runtime has to answer it. */
  answer(request: IncomingMessage, response: ServerResponse, body: Buffer): boolean;
}

/** A query that can be answered directly. */
interface Query {
  readonly direct: DirectAnswer;
  readonly variables: PlainRequest["variables"];
  readonly caller: Caller;
  /** Compute units that the caller is charged; 0 for a caller without limits. */
  readonly units: number;
  readonly type: AnswerType;
}

/**
 * The queries are those of documents that the runtime has found valid before, which one subgraph of this process can answer as text. The
 * runtime answers requests with an API key or an internal token.
 */
export function createDirectQueries(options: DirectQueriesOptions): DirectQueries {
  const { schema, passThrough, documents, costOf, callers, keyHeaders, logger } = options;
  const run = createRun(options);
  const directOf = perOperation<DirectAnswer | null>((document, operationName) =>
    compileDirectAnswer(passThrough, document, operationName, costOf({ schema, document, operationName })),
  );
  const compiling = new WeakSet<DocumentNode>();
  /** Compiles a long document when the event loop has nothing else to do. Until then, the runtime answers its operations. */
  const compileInTurn = async (args: OperationArgs): Promise<void> => {
    if (compiling.has(args.document)) return;
    compiling.add(args.document);
    await heavyTurn();
    compiling.delete(args.document);
    directOf(args);
  };
  const queryOf = (text: string, caller: Caller, type: AnswerType): Query | null => {
    const plain = parsePlainRequest(text);
    const document = plain && documents.valid(plain.query);
    // The runtime compiles a long document as a heavy operation.
    if (!plain || !document || documents.mustCompile(document)) return null;
    const { operationName, variables } = plain;
    // What is made for an operation is kept under its name, so names that do not exist must not come so far.
    if (!getOperationAST(document, operationName)) return null;
    const args = { schema, document, operationName };
    if (isLong(plain.query.length) && directOf.known(document, operationName) === undefined) {
      compileInTurn(args).catch(logUnanswered);
      return null;
    }
    const direct = directOf(args);
    if (!direct?.isWithinLimits(variables)) return null;
    const units = caller.limits === NO_LIMITS ? 0 : direct.units(variables);
    return smallerLimit(caller.limits, units) ? null : { direct, variables, caller, units, type };
  };
  const logUnanswered = (error: unknown) => logger.warn({ err: error }, "a GraphQL query cannot be answered directly");
  /** The runtime answers what cannot be compiled or checked here. */
  const queryOrNull = (text: string, caller: Caller, type: AnswerType): Query | null => {
    try {
      return queryOf(text, caller, type);
    } catch (error) {
      logUnanswered(error);
      return null;
    }
  };
  const answer = async (query: Query, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = requestIdOf(request);
    const { type } = query;
    const headers: string[] = [];
    const outcome = await run(query, request, requestId, headers).catch(outcomeOfThrown);
    if (isJsonText(outcome)) return sendAnswer(request, response, { type, status: 200, text: outcome, headers });
    const { data = null, errors = [], status = 200, retryAfterSeconds } = outcome;
    if (retryAfterSeconds !== undefined) headers.push("retry-after", String(retryAfterSeconds));
    const shown = errors.map((error) => publicError(asGraphQLError(error), requestId, logger));
    const result = shown.length > 0 ? { data, errors: shown } : { data };
    sendAnswer(request, response, { type, status, text: JSON.stringify(result), headers });
  };
  return {
    answer(request, response, body) {
      const type = acceptedType(request.headers.accept);
      if (!type || !isPlain(request, keyHeaders)) return false;
      const query = queryOrNull(body.toString(), callers.byKey(request), type);
      if (!query) return false;
      answer(query, request, response).catch((error: unknown) => {
        logger.error({ err: error }, "a GraphQL query cannot be answered");
        response.destroy();
      });
      return true;
    },
  };
}

/** Appends the rate limit headers to `limitHeaders`. */
type Run = (
  query: Query,
  request: IncomingMessage,
  requestId: string,
  limitHeaders: string[],
) => Promise<JsonText | Outcome>;

interface Outcome extends ExecutionResult {
  readonly status?: number;
  readonly retryAfterSeconds?: number;
}

type RunOptions = Pick<DirectQueriesOptions, "callers" | "charge" | "admission">;

/** Charges queries, and runs them when their turn comes. A query that is refused at once because of overload is not charged. */
function createRun({ callers, charge, admission }: RunOptions): Run {
  const observed = observeOperation(OTHER_OPERATIONS, "query");
  return async ({ direct, variables, caller, units }, request, requestId, limitHeaders) => {
    const left = callerLeft();
    const costClass = direct.classOf(variables);
    const share = callers.shareOf(caller, request);
    const refuse = () => costClass && admission.refuse(costClass, share);
    const refused = refuse();
    if (refused) await refused;
    const charging = charge(caller, units, limitHeaders, refuse);
    if (charging) await charging;
    const execute = () => observed(() => direct.run(variables, requestInfo(caller, requestId, left)));
    const answer = await runInTurn({ admission, costClass, caller: share }, execute);
    const failure = isJsonText(answer) ? checkJsonSize(answer) : checkTextSize(answer.data);
    return failure ? { data: null, errors: [failure] } : answer;
  };
}

function outcomeOfThrown(error: unknown): Outcome {
  const errors = [graphQLErrorOf(error)];
  if (error instanceof Overloaded)
    return { errors, status: FAILURES[error.code].http, retryAfterSeconds: error.retryAfterSeconds };
  if (error instanceof Failure && error.code === "RATE_LIMITED") return { errors, status: FAILURES[error.code].http };
  return { errors, status: error instanceof GraphQLError ? 200 : 500 };
}
