import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { ExecutionResult } from "graphql";
import { isEventStream } from "../../core/event-stream.ts";
import type { Logger } from "../../core/logger.ts";
import { withPublicErrors } from "../public-error.ts";
import type { GraphContext } from "./graph-context.ts";

/** Replaces the errors of every result and subscription event by those that callers get; see `publicError`. */
export function usePublicErrors(logger: Logger): GatewayPlugin<GraphContext> {
  const withPublic = (result: ExecutionResult, { requestId = "" }: Partial<GraphContext>): ExecutionResult =>
    withPublicErrors(result, requestId, logger);
  return {
    onExecute({ args }) {
      return {
        onExecuteDone({ result, setResult }) {
          if (!isEventStream(result)) setResult(withPublic(result, args.contextValue));
        },
      };
    },
    onSubscribe({ args }) {
      return {
        onSubscribeResult({ result, setResult }) {
          if (!isEventStream(result)) {
            setResult(withPublic(result, args.contextValue));
            return undefined;
          }
          return {
            onNext: ({ result: event, setResult: setEvent }) => setEvent(withPublic(event, args.contextValue)),
          };
        },
      };
    },
  };
}
