import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { GraphQLError } from "graphql";
import { codeOf, FAILURES, Failure } from "../../core/errors.ts";
import { isEventStream } from "../../core/event-stream.ts";
import { countRejection } from "../../core/observability/rejections.ts";
import type { OpenConnections } from "../open-connections.ts";
import { guardedEvents } from "./access/guarded-events.ts";
import type { GraphContext } from "./graph-context.ts";
import { type HttpOutcome, refusalFor, refusedHooks } from "./refusals.ts";

/** Seconds until a caller with too many event streams may have closed one. */
const RETRY_AFTER_SECONDS = "1";

/**
 * Counts subscriptions over HTTP as connections of their callers, refuses those above the limit, and ends them with an error when the
 * server shuts down.
 */
export function useEventStreams(connections: OpenConnections): GatewayPlugin<GraphContext> {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const { share, req } = args.contextValue as GraphContext;
      if (!share || !req) return undefined;
      const ending = connections.ending();
      const release = ending ? null : connections.open(share());
      if (!release) {
        countRejection(ending ? "shutting_down" : "too_many_subscriptions");
        setResultAndStopExecution(refusalFor(ending ?? tooMany()));
        return refusedHooks(args, outcomeOf);
      }
      return {
        onSubscribeResult({ result, setResult }) {
          if (!isEventStream(result)) return void release();
          const onEnd: OpenConnections["onEnd"] = (call) => {
            const cancel = connections.onEnd(call);
            return () => {
              cancel();
              release();
            };
          };
          setResult(guardedEvents(result, { onEnd }));
        },
      };
    },
    onResponse({ response }) {
      // The runtime sets it for event streams, also while the server stops. Node.js sets the right one.
      response.headers.delete("connection");
    },
  };
}

function outcomeOf(error: GraphQLError): HttpOutcome {
  const status = codeOf(error) === "RATE_LIMITED" ? FAILURES.RATE_LIMITED.http : FAILURES.UNAVAILABLE.http;
  return { status, headers: { "retry-after": RETRY_AFTER_SECONDS } };
}

const tooMany = () =>
  new Failure("RATE_LIMITED", "the caller has too many open connections: close an event stream or a WebSocket first");
