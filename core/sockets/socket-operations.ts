import type { ExecutionResult, GraphQLError } from "graphql";
import { once } from "../async/once.ts";
import { eventsFrom, isEventStream } from "../graph/event-stream.ts";
import { answerTookTooLong, MAX_ANSWER_SECONDS } from "../http/answer-time.ts";
import { CALLER_LEFT } from "../http/connections.ts";
import { runInRequest } from "../observability/request-id.ts";
import { cancelWork, createWork, type Work } from "../work/work.ts";

/** The outcome of an operation: errors if it cannot run, otherwise a result or the events of a subscription. */
export type WebSocketOutcome = readonly GraphQLError[] | ExecutionResult | AsyncIterable<ExecutionResult>;

type RunOperation = (work: Work) => Promise<WebSocketOutcome>;

/** The operations of one WebSocket. */
export interface SocketOperations {
  /**
   * Those that have not ended, also if the client has completed them: their number, the bytes of the messages that started them, and the
   * last time at which one has ended, or at which the connection was opened.
   */
  readonly held: { readonly size: number; readonly bytes: number; readonly endedAtMs: number };
  /** True if the client waits for the outcome of an operation. */
  hasUnanswered(): boolean;
  /**
   * Runs an operation as a request with work of its own, until its outcome or, if that is a stream of events, until the end of the
   * stream. Never settles if the client completes the operation before: nothing more may be sent for its id, which may be in use again.
   */
  run(operation: Pick<Running, "id" | "requestId" | "bytes">, run: RunOperation): Promise<WebSocketOutcome>;
  /** Cancels the work of an operation, because the client has completed it. */
  complete(id: string): void;
  /** Cancels the work of all, because the connection has closed. */
  cancelAll(): void;
}

/** How the operations of a WebSocket run. */
export interface OperationRules {
  /** Resolves when an operation may start. */
  beforeStart(): Promise<void>;
  /** Called when an operation has its outcome, or has none because it has failed. */
  onOutcome(): void;
  /** Resolves when an event may be made. */
  beforeEvent(): Promise<void>;
  /** Called with the failure of a subscription that does not end. */
  onError(error: unknown): void;
}

interface Running {
  readonly id: string;
  readonly requestId: string;
  /** Size of the message that has started it. */
  readonly bytes: number;
  readonly work: Work;
  isAnswered: boolean;
  /** True if the client does not wait for it any more. */
  isLeft: boolean;
  end(): void;
}

export function createSocketOperations(rules: OperationRules): SocketOperations {
  const running = new Map<string, Running>();
  const held = { size: 0, bytes: 0, endedAtMs: performance.now() };
  const end = (operation: Running): void => {
    held.size -= 1;
    held.bytes -= operation.bytes;
    held.endedAtMs = performance.now();
    if (running.get(operation.id) === operation) running.delete(operation.id);
  };
  return {
    held,
    hasUnanswered: () => [...running.values()].some(({ isAnswered }) => !isAnswered),
    async run(started, run) {
      const state = { work: createWork(), isAnswered: false, isLeft: false };
      const operation: Running = { ...started, ...state, end: once(() => end(operation)) };
      running.set(operation.id, operation);
      held.size += 1;
      held.bytes += operation.bytes;
      try {
        const outcome = await start(operation, run, rules).finally(rules.onOutcome);
        operation.isAnswered = true;
        const events = isEventStream(outcome) ? eventsOf(outcome, operation, rules) : null;
        if (!events) operation.end();
        if (!operation.isLeft) return events ?? outcome;
        await events?.return();
      } catch (error) {
        operation.end();
        if (!operation.isLeft) throw error;
      }
      return never();
    },
    complete(id) {
      const operation = running.get(id);
      running.delete(id);
      if (operation) leave(operation);
    },
    cancelAll() {
      for (const operation of running.values()) leave(operation);
      running.clear();
    },
  };
}

function leave(operation: Running): void {
  operation.isLeft = true;
  cancelWork(operation.work, CALLER_LEFT);
}

async function start({ requestId, work }: Running, run: RunOperation, { beforeStart }: OperationRules) {
  await beforeStart();
  if (work.reason) throw work.reason;
  const timer = setTimeout(() => cancelWork(work, answerTookTooLong()), MAX_ANSWER_SECONDS * 1_000).unref();
  return runInRequest(requestId, () => run(work)).finally(() => clearTimeout(timer));
}

/** What the server waits for if it must do nothing more for an operation. */
export const never = () => new Promise<never>(() => {});

/** The events of a subscription, each made as a part of its request. */
function eventsOf(
  source: AsyncIterable<ExecutionResult>,
  operation: Running,
  { beforeEvent, onError }: OperationRules,
) {
  const { requestId, end } = operation;
  const events = eventsFrom<ExecutionResult, ExecutionResult>(source, async (results) => {
    await beforeEvent();
    try {
      const next = await runInRequest(requestId, () => results.next());
      if (next.done) end();
      if (!operation.isLeft) return next;
    } catch (error) {
      end();
      if (!operation.isLeft) throw error;
    }
    return never();
  });
  return {
    ...events,
    async return(): Promise<IteratorResult<ExecutionResult, void>> {
      end();
      await runInRequest(requestId, async () => events.return?.()).catch(onError);
      return { done: true, value: undefined };
    },
  };
}
