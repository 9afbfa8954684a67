import type { ServerResponse } from "node:http";
import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { ExecutionArgs, GraphQLError } from "graphql";
import { callerLeftFailure } from "../../core/caller-left.ts";
import { codeOf, FAILURES, Failure } from "../../core/errors.ts";
import { EVENT_STREAM_CACHING, isEventStream } from "../../core/event-stream.ts";
import { onResponseClose } from "../../core/http/response-close.ts";
import { once } from "../../core/once.ts";
import { type OpenConnections, openSubscription } from "../open-connections.ts";
import { guardedEvents } from "./access/guarded-events.ts";
import type { GraphContext } from "./graph-context.ts";
import { type HttpOutcome, refusalFor, refusedHooks } from "./refusals.ts";

/**
 * Seconds until it makes sense to try again, when nobody knows it: when a caller may have closed an event stream, or keys can be checked
 * again.
 */
export const RETRY_AFTER_SECONDS = "1";

/**
 * Counts subscriptions over HTTP as connections of their callers, and the characters of all subscriptions. Refuses those above the limits,
 * and ends those over HTTP with an error when the server shuts down.
 */
export function useEventStreams(connections: OpenConnections): GatewayPlugin<GraphContext> {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const { share, charge, req, res } = args.contextValue as GraphContext & Partial<NodeContext>;
      if (!share) return undefined;
      const opened = openSubscription(connections, share(), {
        characters: charactersOf(args),
        isStream: Boolean(req),
      });
      if (opened instanceof Failure) {
        charge?.refused(opened);
        setResultAndStopExecution(refusalFor(opened));
        return refusedHooks(args, outcomeOf);
      }
      const release = once(opened);
      // The runtime forgets a subscription whose response closes while it starts.
      if (res) onResponseClose(res, release);
      return {
        onSubscribeResult({ result, setResult }) {
          if (!isEventStream(result)) return release();
          const onEnd: OpenConnections["onEnd"] = (call) => {
            const cancel = req ? connections.onEnd(call) : () => {};
            // Not at once: the events are not there yet.
            if (res) queueMicrotask(() => onResponseClose(res, () => call(callerLeftFailure())));
            return () => {
              cancel();
              release();
            };
          };
          return setResult(guardedEvents(result, { onEnd }));
        },
      };
    },
    onResponse({ response, serverContext }) {
      // The runtime ends the events of a response when it closes, but not of one that has closed before.
      const { res } = serverContext as Partial<NodeContext>;
      if (res?.destroyed) return response.body?.cancel();
      // The runtime sets it for event streams, also while the server stops. Node.js sets the right one.
      response.headers.delete("connection");
      if (!isEventStreamResponse(response)) return undefined;
      response.headers.set("cache-control", EVENT_STREAM_CACHING);
      // The runtime sets it to `none`, which is no registered value, to keep middleware from compressing.
      response.headers.delete("content-encoding");
      return undefined;
    },
  };
}

/** What the runtime adds to the context of an operation over HTTP. */
interface NodeContext {
  readonly res: ServerResponse;
}

const isEventStreamResponse = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") ?? false;

function outcomeOf(error: GraphQLError): HttpOutcome {
  const status = codeOf(error) === "RATE_LIMITED" ? FAILURES.RATE_LIMITED.http : FAILURES.UNAVAILABLE.http;
  return { status, headers: { "retry-after": RETRY_AFTER_SECONDS } };
}

interface Params {
  readonly query?: string;
  readonly variables?: object | null;
}

function charactersOf({ contextValue }: ExecutionArgs): number {
  const { params = {} } = contextValue as { readonly params?: Params };
  const { query = "", variables } = params;
  return query.length + (variables ? JSON.stringify(variables).length : 0);
}
