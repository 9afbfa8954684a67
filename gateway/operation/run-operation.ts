import { type ExecutionResult, OperationTypeNode } from "graphql";
import { Failure } from "../../core/errors/errors.ts";
import { isJsonText } from "../../core/graph/answer-text.ts";
import { isEventStream } from "../../core/graph/event-stream.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import type { Variables } from "../../core/graph/graph-document.ts";
import type { ApiKeys } from "../../core/limits/access/api-keys.ts";
import type { KeyRequirements } from "../../core/limits/access/key-requirements.ts";
import type { ChargeCaller } from "../../core/limits/access/rate-limit.ts";
import type { Admission } from "../../core/limits/admission/admission.ts";
import { type Applicant, refuseOverload, runEvent, runInTurn } from "../../core/limits/admission/turns.ts";
import { readAnywhere } from "../../core/work/server-choice.ts";
import type { Work } from "../../core/work/work.ts";
import type { OpenConnections } from "../open-connections.ts";
import type { InTurn } from "../plan/executable.ts";
import type { Fetch } from "../plan/fetch.ts";
import type { PublicError } from "../public-error.ts";
import { admitCaller, type Sender, unitsOfEvent, unpaid } from "./access.ts";
import { guardedEvents, onRevoked } from "./guarded-events.ts";
import type { Observers, RequestedOperation } from "./operation.ts";
import { type Outcome, outcomeOf, publicResult, refusedOutcome } from "./outcome.ts";

/** An operation that somebody wants to run. */
export interface OperationRequest {
  /**
   * Finds the operation: one that was prepared, or that of a document, see `ReadOperation`. Throws or rejects if the request cannot be read, or
   * if an operation of this kind cannot be answered.
   */
  read(): RequestedOperation | Promise<RequestedOperation>;
  /**
   * True if the caller is known to have the answer already. Then nothing runs, and the outcome is an empty text. Such a request is not refused
   * because others wait.
   */
  readonly hasAnswer?: ((variables: Variables) => Promise<boolean>) | undefined;
  readonly info: RequestInfo;
  /** Null for REST in a process of its own, which limits and charges its requests itself. */
  readonly sender: Sender | null;
  /** True if the events of a subscription are a connection of their own, which ends when the server stops. */
  readonly isStream: boolean;
}

/** What operations are run with. */
export interface Pipeline {
  readonly requirements: KeyRequirements;
  readonly admission: Admission;
  readonly observers: Observers;
  readonly publicError: PublicError;
  /** Null if subscriptions are not supported. */
  readonly subscriptions: SubscriptionContext | null;
}

/** What subscriptions also need. */
export interface SubscriptionContext {
  readonly apiKeys: ApiKeys;
  readonly charge: ChargeCaller;
  readonly connections: OpenConnections;
}

/**
 * Runs an operation, whichever way it came. Never rejects: an operation that is refused has the outcome that says why. For what it costs its
 * caller see `OperationCharge`.
 */
export async function runOperation(pipeline: Pipeline, request: OperationRequest): Promise<Outcome> {
  const { sender, info } = request;
  let outcome: Outcome;
  const refused = (reason: unknown) => refusedOutcome(reason, (one) => pipeline.publicError(one, info.requestId));
  try {
    outcome = await run(pipeline, request);
  } catch (error) {
    sender?.payment.refused(error);
    outcome = refused(error);
  }
  try {
    const waiting = sender?.payment.settle();
    if (waiting) await waiting;
  } catch (error) {
    // Nothing has run if the charge is refused.
    outcome = refused(unpaid(error));
  }
  return outcome;
}

async function run(pipeline: Pipeline, request: OperationRequest): Promise<Outcome> {
  const { requirements, admission, observers, publicError, subscriptions } = pipeline;
  const { sender, info, hasAnswer } = request;
  const read = request.read();
  const requested = read instanceof Promise ? await read : read;
  const { operation, variables, cost } = requested;
  const costClass = sender && operation.costClassOf(variables, cost);
  const applicant: Applicant = { whole: info.work, caller: sender?.share ?? "", costClass };
  if (operation.kind === OperationTypeNode.SUBSCRIPTION) {
    if (subscriptions) return subscribe(pipeline, { ...request, subscriptions }, requested, applicant);
    throw new Error("subscriptions are not supported here");
  }
  const refuse = () => (hasAnswer ? null : refuseOverload(admission, applicant));
  const refused = refuse();
  if (refused) throw refused;
  const waiting = sender && admitCaller(requirements, sender, requested, refuse);
  if (waiting) await waiting;
  if (hasAnswer && (await hasAnswer(variables))) return { kind: "text", text: "" };
  const answer = await runInTurn(admission, applicant, async (work) => {
    const form = operation.formOf(variables, sender?.share ?? null);
    const executable = form instanceof Promise ? await form : form;
    const run = () => executable.run(variables, { ...info, work });
    const mayReadReplica = operation.kind === OperationTypeNode.QUERY && !hasAnswer && !isRemote(work);
    return observers.of(operation, sender)(() => (mayReadReplica ? readAnywhere(work, run, hasErrors) : run()));
  });
  return outcomeOf(answer, publicError, info.requestId);
}

/** A remote operation would ask nodes or validators again, and reads little. */
const isRemote = ({ costClass }: Work): boolean => costClass === "remote" || costClass === "heavyRemote";

const hasErrors = (answer: Awaited<ReturnType<Fetch>>): boolean => !isJsonText(answer) && Boolean(answer.errors);

interface SubscriptionRequest extends OperationRequest {
  readonly subscriptions: SubscriptionContext;
}

/** A subscription waits for each of its events, so it has no turn of its own, and is not refused because others wait. */
async function subscribe(
  { requirements, admission, observers, publicError }: Pipeline,
  request: SubscriptionRequest,
  requested: RequestedOperation,
  applicant: Applicant,
): Promise<Outcome> {
  const { sender, info } = request;
  const { operation, variables } = requested;
  const release = openSubscription(request, requested);
  try {
    if (sender) await admitCaller(requirements, sender, requested, () => null);
    const inTurn: InTurn = (make) => runEvent(admission, applicant, (work) => make({ ...info, work }));
    const outcome = await runEvent(admission, applicant, async (work) => {
      const executable = await operation.formOf(variables, sender?.share ?? null);
      return observers.of(operation, sender)(() => executable.subscribe(variables, { ...info, work }, inTurn));
    });
    const shown = (result: ExecutionResult) => publicResult(result, publicError, info.requestId);
    if (isEventStream(outcome)) {
      return { kind: "events", events: guarded(request, requested, { events: outcome, shown, release }) };
    }
    release();
    return { kind: "result", result: shown(outcome) };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Counts a subscription, from before it starts. Returns the function that must be called when it ends; it is also called when the caller leaves
 * while the subscription starts. Throws if the caller has too many subscriptions, or if the server is shutting down.
 */
function openSubscription(
  { subscriptions: { connections }, sender, info, isStream }: SubscriptionRequest,
  { operation, variables }: RequestedOperation,
): () => void {
  if (!sender) return () => {};
  const characters = operation.characters + JSON.stringify(variables).length;
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

interface StartedEvents {
  readonly events: AsyncIterable<ExecutionResult>;
  /** Returns an event as the caller gets it. */
  shown(event: ExecutionResult): ExecutionResult;
  release(): void;
}

/** The events as the caller gets them: each is charged, and checked. */
function guarded(
  { subscriptions: { apiKeys, charge, connections }, sender, isStream }: SubscriptionRequest,
  requested: RequestedOperation,
  { events, shown, release }: StartedEvents,
): AsyncIterableIterator<ExecutionResult> {
  const units = sender ? unitsOfEvent(sender.client, requested) : 0;
  return guardedEvents(events, {
    charge: () => (sender ? charge(sender.client, units, []) : undefined),
    change: shown,
    onEnd(end) {
      const forgetKey = onRevoked(apiKeys, sender?.client.apiKey ?? null, end);
      const forgetShutdown = isStream ? connections.onEnd(end) : () => {};
      return () => {
        forgetKey();
        forgetShutdown();
        release();
      };
    },
  });
}
