import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { ExecutionResult } from "graphql";
import type { Logger } from "../core/logger.ts";
import { asGraphQLError, shownError } from "./errors.ts";

/** What the gateway adds to the context of an operation. */
export interface GraphContext extends Record<string, unknown> {
  requestId: string;
}

/** Shapes the errors of every result, subscription events included; see `shownError`. */
export function useErrors(logger: Logger): GatewayPlugin<GraphContext> {
  const shaped = (result: ExecutionResult, context: Partial<GraphContext>): ExecutionResult =>
    result.errors
      ? {
          data: null,
          ...result,
          errors: result.errors.map((error) => shownError(asGraphQLError(error), context.requestId ?? "", logger)),
        }
      : result;
  return {
    onExecute({ args }) {
      return {
        onExecuteDone({ result, setResult }) {
          if (!isStream(result)) setResult(shaped(result, args.contextValue));
        },
      };
    },
    onSubscribe({ args }) {
      return {
        onSubscribeResult({ result, setResult }) {
          if (!isStream(result)) {
            setResult(shaped(result, args.contextValue));
            return undefined;
          }
          return { onNext: ({ result: event, setResult: setEvent }) => setEvent(shaped(event, args.contextValue)) };
        },
      };
    },
  };
}

function isStream(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}
