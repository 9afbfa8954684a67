import { type ExecutionResult, OperationTypeNode } from "graphql";
import type { Caller } from "../../core/access/callers.ts";
import type { Admission } from "../../core/admission/admission.ts";
import { type CostClass, heavyForm } from "../../core/admission/cost-class.ts";
import { eventsInTurns } from "../../core/admission/event-turns.ts";
import { runInTurn } from "../../core/admission/run-entered.ts";
import { isJsonText, type JsonText } from "../../core/answer-text/answer-text.ts";
import { Failure } from "../../core/errors.ts";
import { isEventStream } from "../../core/event-stream.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import { currentScope } from "../../core/observability/request-scope.ts";
import { once } from "../../core/once.ts";
import { type OpenConnections, openSubscription } from "../open-connections.ts";
import type { Executable } from "../plan/executable.ts";
import { type PublicError, withPublicErrors } from "../public-error.ts";
import { guardedEvents, onRevoked } from "./access/guarded-events.ts";
import { type Access, admitCaller, type CheckedOperation, unitsOfEvent } from "./access/operation-access.ts";
import { type OperationCharge, settled } from "./access/operation-charge.ts";
import type { Documents } from "./documents.ts";
import { checkOperation } from "./limits/operation.ts";
import { checkJsonSize, checkTextSize } from "./limits/text-size.ts";
import type { Observers } from "./observers.ts";
import { type Operation, type OperationContext, operationOf } from "./operation.ts";
import { type Outcome, refusedOutcome } from "./outcome.ts";
import type { OperationParams } from "./params.ts";
import type { DocumentOf } from "./persisted-documents.ts";
import { requestError } from "./request-error.ts";

/** Who sends an operation, and pays for it. */
export interface Sender {
  readonly client: Caller;
  readonly payment: OperationCharge;
  /** Identifies the caller for all limits, see `Callers.shareOf`. */
  readonly share: string;
}

/** An operation that somebody wants to run. */
export interface OperationRequest {
  /** Reads what the request says about its operation. Throws a request error if it cannot be read. */
  params(): OperationParams;
  readonly info: RequestInfo;
  /** Null for REST in a process of its own, which limits and charges its requests itself. */
  readonly sender: Sender | null;
  /** True if the events of a subscription are a connection of their own, which ends when the server stops. */
  readonly isStream: boolean;
  /** Throws if operations of this kind cannot be answered, before anything is done for them. */
  checkKind(kind: OperationTypeNode): void;
}

/** What operations are run with. */
export interface Pipeline {
  readonly documentOf: DocumentOf;
  readonly documents: Documents;
  readonly operations: OperationContext;
  readonly access: Access;
  readonly admission: Admission;
  readonly connections: OpenConnections;
  readonly observers: Observers;
  readonly publicError: PublicError;
}

/**
 * Runs an operation, whichever way it came. Never rejects: an operation that is refused has the outcome that says why.
 *
 * A refused operation costs its caller one unit, or nothing if the service is the reason; see `OperationCharge`.
 */
export async function runOperation(pipeline: Pipeline, request: OperationRequest): Promise<Outcome> {
  const { sender, info } = request;
  try {
    return await (sender ? settled(sender.payment, () => run(pipeline, request)) : run(pipeline, request));
  } catch (error) {
    return refusedOutcome(error, (one) => pipeline.publicError(one, info.requestId));
  }
}

async function run(pipeline: Pipeline, request: OperationRequest): Promise<Outcome> {
  const { sender, info } = request;
  const params = request.params();
  const { variables } = params;
  const text = pipeline.documentOf(params, sender?.share ?? null);
  await refuseKnown(pipeline, sender, params, text);
  const operation = await findOperation(pipeline, sender, params, text);
  request.checkKind(operation.kind);
  checkOperation(operation, variables);
  const turn = turnOf(operation, variables, sender);
  const refuse = () => refuseOverload(pipeline, turn);
  await refuse();
  const release = openIfSubscription(pipeline, operation, request, params, text);
  try {
    if (sender) await admitCaller(pipeline.access, sender.client, { ...operation, variables }, sender.payment, refuse);
    const outcome = await runInTurn({ ...turn, admission: pipeline.admission }, async () => {
      const form = await operation.formOf(variables, sender?.share ?? null);
      return pipeline.observers.of(operation, sender)(() => execute(form, operation.kind, variables, info));
    });
    operation.document.hasRun = true;
    if (isEventStream(outcome)) {
      const events = guarded(pipeline, request, { ...operation, variables, turn }, outcome, release);
      return { kind: "events", events };
    }
    release();
    return publicOutcome(pipeline, outcome, info.requestId);
  } catch (error) {
    release();
    throw error;
  }
}

type Variables = OperationParams["variables"];

/** The class in which an operation waits for its turn, and runs. */
interface Turn {
  /** Null if it does not wait. */
  readonly costClass: CostClass | null;
  readonly caller: string;
}

/** A long document is compiled by its first operation, which is heavy because of that. Operations without a sender have already waited. */
function turnOf({ classOf, document }: Operation, variables: Variables, sender: Sender | null): Turn {
  if (!sender) return { costClass: null, caller: "" };
  const usual = classOf(variables);
  return { costClass: usual && document.mustCompile ? heavyForm(usual) : usual, caller: sender.share };
}

/** Refuses an operation that would neither run nor wait. */
function refuseOverload({ admission }: Pipeline, { costClass, caller }: Turn): Promise<never> | null {
  return costClass && admission.refuse(costClass, caller);
}

/** The same for a known operation while the service is overloaded, before anything is done for it. */
function refuseKnown(
  pipeline: Pipeline,
  sender: Sender | null,
  { operationName, variables }: OperationParams,
  text: string,
): Promise<never> | null {
  if (!sender || !pipeline.admission.isRefusing(sender.share)) return null;
  const operation = pipeline.documents.known(text)?.operations.get(operationName);
  return operation ? refuseOverload(pipeline, turnOf(operation, variables, sender)) : null;
}

async function findOperation(
  { documents, operations }: Pipeline,
  sender: Sender | null,
  { operationName }: OperationParams,
  text: string,
): Promise<Operation> {
  const document = documents.known(text) ?? (await documents.read(text, sender?.share ?? null));
  const operation = operationOf(document, operationName, operations);
  if (operation) return operation;
  throw requestError("OPERATION_RESOLUTION_FAILURE", "operationName must name one operation of the document");
}

/** Runs an operation that may run. */
export function execute(
  form: Executable,
  kind: OperationTypeNode,
  variables: Variables,
  info: RequestInfo,
): Promise<JsonText | ExecutionResult | AsyncIterable<ExecutionResult>> {
  return kind === OperationTypeNode.SUBSCRIPTION ? form.subscribe(variables, info) : form.run(variables, info);
}

function publicOutcome({ publicError }: Pipeline, answer: JsonText | ExecutionResult, requestId: string): Outcome {
  const failure = isJsonText(answer) ? checkJsonSize(answer) : checkTextSize(answer.data);
  if (failure) return { kind: "result", result: { data: null, errors: [failure] } };
  if (isJsonText(answer)) return { kind: "text", text: answer };
  return { kind: "result", result: withPublicErrors(answer, publicError, requestId) };
}

/**
 * Counts a subscription, from before it starts. Returns the function that must be called when it ends; it is also called when the caller leaves
 * while the subscription starts. Throws if the caller has too many subscriptions, or if the server is shutting down.
 */
function openIfSubscription(
  { connections }: Pipeline,
  operation: Operation,
  { sender, isStream }: OperationRequest,
  { variables }: OperationParams,
  text: string,
): () => void {
  if (!sender || operation.kind !== OperationTypeNode.SUBSCRIPTION) return () => {};
  const characters = text.length + JSON.stringify(variables).length;
  const opened = openSubscription(connections, sender.share, { characters, isStream });
  if (opened instanceof Failure) {
    sender.payment.headers.push("retry-after", RETRY_AFTER_SECONDS);
    throw opened;
  }
  const release = once(opened);
  currentScope()?.work.onCancel.add(release);
  return release;
}

/**
 * Seconds until it makes sense to try again, when nobody knows it: when a caller may have closed an event stream, or keys can be checked
 * again.
 */
export const RETRY_AFTER_SECONDS = "1";

/** The events as the caller gets them: each is made in its turn, charged, and checked. */
function guarded(
  pipeline: Pipeline,
  { sender, info, isStream }: OperationRequest,
  { turn, ...operation }: CheckedOperation & { readonly turn: Turn },
  source: AsyncIterable<ExecutionResult>,
  release: () => void,
): AsyncIterableIterator<ExecutionResult> {
  const { access, admission, connections } = pipeline;
  const { costClass, caller } = turn;
  const units = sender ? unitsOfEvent(sender.client, operation) : 0;
  return guardedEvents(costClass ? eventsInTurns(source, { costClass, caller }, admission.events) : source, {
    charge: () => (sender ? access.charge(sender.client, units, []) : undefined),
    change(event) {
      const outcome = publicOutcome(pipeline, event, info.requestId);
      return outcome.kind === "result" ? outcome.result : event;
    },
    onEnd(end) {
      const forgetKey = onRevoked(access.apiKeys, sender?.client.apiKey ?? null, end);
      const forgetShutdown = isStream ? connections.onEnd(end) : () => {};
      return () => {
        forgetKey();
        forgetShutdown();
        release();
      };
    },
  });
}
