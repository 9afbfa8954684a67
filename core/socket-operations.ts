import { MessageType } from "graphql-ws";
import { answerTookTooLong, MAX_ANSWER_SECONDS } from "./answer-time.ts";
import { callerLeftFailure } from "./caller-left.ts";
import { isEventStream } from "./event-stream.ts";
import { parseJson } from "./json.ts";
import { currentScope, runInRequest, runInScope } from "./observability/request-scope.ts";
import { once } from "./once.ts";
import { cancelWork, createWork, type Work } from "./work/work.ts";

/** The operations of one WebSocket that run. */
export interface SocketOperations {
  /** Bytes of the messages that have started the running operations. graphql-ws keeps each until its operation ends. */
  readonly bytes: number;
  /**
   * Runs an operation as a request with work of its own, until its outcome or, if that is a stream of events, until the end of the
   * stream. If the work is cancelled before there is an outcome, never settles: the server must send nothing more for the id, which
   * may be in use again.
   */
  run<Outcome extends object>(operation: StartedOperation, run: (work: Work) => Promise<Outcome>): Promise<Outcome>;
  /** Cancels the work of an operation if this message of the client completes it. */
  onMessage(text: string): void;
  /** Cancels the work of all operations, because the connection has closed. */
  cancelAll(): void;
}

/** An operation that a message has started. */
export interface StartedOperation {
  readonly id: string;
  readonly requestId: string;
  /** Size of the message. */
  readonly bytes: number;
  /** Called when there is an outcome or a failure. */
  onOutcome(): void;
}

interface Running {
  readonly work: Work;
  /** True if nobody waits for the outcome any more. */
  isLeft: boolean;
}

export function createSocketOperations(): SocketOperations {
  const running = new Map<string, Running>();
  let runningBytes = 0;
  return {
    get bytes() {
      return runningBytes;
    },
    run({ id, requestId, bytes, onOutcome }, run) {
      const work = createWork();
      const operation: Running = { work, isLeft: false };
      const timer = setTimeout(() => cancelWork(work, answerTookTooLong()), MAX_ANSWER_SECONDS * 1_000).unref();
      running.set(id, operation);
      runningBytes += bytes;
      const end = once(() => {
        runningBytes -= bytes;
        if (running.get(id) === operation) running.delete(id);
      });
      return runInRequest(requestId, work, async () => {
        try {
          const outcome = await run(work);
          const events = isEventStream(outcome) ? eventsOf(outcome, operation, end) : null;
          if (!events) end();
          if (!operation.isLeft) return (events as typeof outcome | null) ?? outcome;
          await events?.return();
        } catch (error) {
          end();
          if (!operation.isLeft) throw error;
        } finally {
          clearTimeout(timer);
          onOutcome();
        }
        return new Promise<never>(() => {});
      });
    },
    onMessage(text) {
      const id = completedId(text);
      const operation = id === null ? undefined : running.get(id);
      if (id === null || !operation) return;
      running.delete(id);
      leave(operation);
    },
    cancelAll() {
      for (const operation of running.values()) leave(operation);
      running.clear();
    },
  };
}

function leave(operation: Running): void {
  operation.isLeft = true;
  cancelWork(operation.work, callerLeftFailure());
}

/** The id of the operation that a message of the protocol completes; null for other messages. */
function completedId(text: string): string | null {
  // Most messages are parsed only by graphql-ws.
  if (!text.includes(`"${MessageType.Complete}"`)) return null;
  // graphql-ws closes the connection if the text is not JSON.
  const { type, id } = Object(parseJson(text)) as { readonly type?: unknown; readonly id?: unknown };
  return type === MessageType.Complete && typeof id === "string" ? id : null;
}

interface Events extends AsyncIterableIterator<unknown> {
  return(): Promise<IteratorResult<unknown>>;
}

/** The events of a subscription, each made as a part of the present request. `onEnd` is called at the end, also at a failure. */
function eventsOf(events: AsyncIterable<unknown>, operation: Running, onEnd: () => void): Events {
  const source = events[Symbol.asyncIterator]();
  const scope = currentScope();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const next = await runInScope(scope, () => source.next());
        if (next.done) onEnd();
        if (!operation.isLeft) return next;
      } catch (error) {
        onEnd();
        if (!operation.isLeft) throw error;
      }
      return new Promise<never>(() => {});
    },
    async return() {
      onEnd();
      leave(operation);
      await runInScope(scope, () => source.return?.());
      return { done: true, value: undefined };
    },
  };
}
