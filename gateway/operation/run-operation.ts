import { type ExecutionResult, OperationTypeNode } from "graphql";
import { Failure } from "../../core/errors/errors.ts";
import { isJsonText, type JsonText } from "../../core/graph/answer-text.ts";
import { isEventStream } from "../../core/graph/event-stream.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import type { Caller } from "../../core/limits/access/callers.ts";
import type { Admission } from "../../core/limits/admission/admission.ts";
import { refuseOverload, runEvent, runInTurn } from "../../core/limits/admission/turns.ts";
import type { Work } from "../../core/work/work.ts";
import type { OpenConnections } from "../open-connections.ts";
import type { InTurn } from "../plan/executable.ts";
import { type PublicError, withPublicErrors } from "../public-error.ts";
import {
  type Access,
  admitCaller,
  type CheckedOperation,
  type OperationCharge,
  settled,
  unitsOfEvent,
} from "./access.ts";
import type { DocumentOf, Documents } from "./documents.ts";
import { guardedEvents, onRevoked } from "./guarded-events.ts";
import { checkJsonSize, checkOperation, checkTextSize } from "./limits.ts";
import { type KnownDocument, type Observers, type Operation, type OperationContext, operationOf } from "./operation.ts";
import { type Outcome, refusedOutcome } from "./outcome.ts";
import type { OperationParams } from "./params.ts";
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
  const { admission } = pipeline;
  const params = request.params();
  const { variables } = params;
  const text = pipeline.documentOf(params, sender?.share ?? null);
  const { documents } = pipeline;
  const document = documents.known(text) ?? (await documents.read(text, sender?.share ?? null, info.work));
  const operation = requireOperation(pipeline, document, params);
  request.checkKind(operation.kind);
  checkOperation(operation, variables);
  const costClass = sender && operation.costClassOf(variables);
  const applicant = { whole: info.work, caller: sender?.share ?? "", costClass };
  const isSubscription = operation.kind === OperationTypeNode.SUBSCRIPTION;
  const refuse = () => (isSubscription ? null : refuseOverload(admission, applicant));
  const refused = refuse();
  if (refused) throw refused;
  const release = isSubscription ? openSubscriptionOf(pipeline, request, params, text) : () => {};
  try {
    if (sender) await admitCaller(pipeline.access, sender.client, { ...operation, variables }, sender.payment, refuse);
    const inTurn: InTurn = (make) => runEvent(admission, applicant, (work) => make({ ...info, work }));
    const execute = async (work: Work) => {
      const form = await operation.formOf(variables, sender?.share ?? null);
      const part = { ...info, work };
      return pipeline.observers.of(
        operation,
        sender,
      )(() => (isSubscription ? form.subscribe(variables, part, inTurn) : form.run(variables, part)));
    };
    const outcome = await (isSubscription
      ? runEvent(admission, applicant, execute)
      : runInTurn(admission, applicant, execute));
    if (isEventStream(outcome)) {
      const events = guarded(pipeline, request, { ...operation, variables }, outcome, release);
      return { kind: "events", events };
    }
    release();
    return publicOutcome(pipeline, outcome, info.requestId);
  } catch (error) {
    release();
    throw error;
  }
}

function requireOperation(
  { operations }: Pipeline,
  document: KnownDocument,
  { operationName }: OperationParams,
): Operation {
  const operation = operationOf(document, operationName, operations);
  if (operation) return operation;
  throw requestError("OPERATION_RESOLUTION_FAILURE", "operationName must name one operation of the document");
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
function openSubscriptionOf(
  { connections }: Pipeline,
  { sender, info, isStream }: OperationRequest,
  { variables }: OperationParams,
  text: string,
): () => void {
  if (!sender) return () => {};
  const characters = text.length + JSON.stringify(variables).length;
  const release = connections.subscribe(sender.share, { characters, isStream });
  if (release instanceof Failure) {
    sender.payment.headers.push("retry-after", RETRY_AFTER_SECONDS);
    throw release;
  }
  info.work.onCancel.add(release);
  return release;
}

/**
 * Seconds until it makes sense to try again, when nobody knows it: when a caller may have closed an event stream, or keys can be checked
 * again.
 */
export const RETRY_AFTER_SECONDS = "1";

/** The events as the caller gets them: each is charged, and checked. */
function guarded(
  pipeline: Pipeline,
  { sender, info, isStream }: OperationRequest,
  operation: CheckedOperation,
  events: AsyncIterable<ExecutionResult>,
  release: () => void,
): AsyncIterableIterator<ExecutionResult> {
  const { access, connections } = pipeline;
  const units = sender ? unitsOfEvent(sender.client, operation) : 0;
  return guardedEvents(events, {
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
