import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { GraphQLError } from "graphql";
import { NO_LIMITS } from "../../core/access/callers.ts";
import { codeOf, FAILURES, isFailureCode } from "../../core/errors.ts";
import { isEventStream } from "../../core/event-stream.ts";
import { headerPairs } from "../../core/http/headers.ts";
import { createOperationAccess, type OperationAccessOptions } from "./access/operation-access.ts";
import type { GraphContext } from "./graph-context.ts";
import { type HttpOutcome, refusalFor, refusedHooks } from "./refusals.ts";
import type { Senders } from "./senders.ts";
import { overloadOutcome } from "./use-refusal.ts";

export interface AccessOptions extends OperationAccessOptions {
  readonly senders: Senders;
}

/** Codes of refusals that change the HTTP status. Other errors are part of a result with status 200. */
const STATUS_CODES: ReadonlySet<unknown> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED"]);

/**
 * Refuses operations for which the caller needs another API key or which cost more than a whole limit. Charges the others by their
 * cost: a subscription when it starts, and for each event. Responses over HTTP have the headers of rate limits. An operation that waits
 * for the usage of other processes is refused without a charge if it would then neither run nor wait for its turn.
 */
export function useAccess(options: AccessOptions): GatewayPlugin<GraphContext> {
  const operations = createOperationAccess(options);
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { client, charge } = args.contextValue as GraphContext;
      if (!client || !charge) return undefined;
      const stop = (error: unknown) => {
        setResultAndStopExecution(refusalFor(error));
        return refusedHooks(args, outcomesOf(error));
      };
      try {
        return operations.admit(args, client, charge)?.then(() => undefined, stop);
      } catch (error) {
        return stop(error);
      }
    },
    async onSubscribe({ args, setResultAndStopExecution }) {
      const { client, charge } = args.contextValue as GraphContext;
      if (!client || !charge) return undefined;
      // Later steps replace the document.
      const original = { ...args };
      try {
        await operations.admit(args, client, charge);
      } catch (error) {
        setResultAndStopExecution(refusalFor(error));
        return refusedHooks(args, outcomesOf(error));
      }
      if (client.limits === NO_LIMITS && !client.apiKey) return undefined;
      return {
        onSubscribeResult({ result, setResult }) {
          if (isEventStream(result)) setResult(operations.guard(result, original, client));
        },
      };
    },
    ...useChargedResponses(options),
  };
}

/** Charges requests that were refused, and adds the headers of rate limits to responses. */
function useChargedResponses({ senders }: AccessOptions): Required<Pick<GatewayPlugin<GraphContext>, "onResponse">> {
  return {
    async onResponse({ request, response, setResponse, fetchAPI }) {
      const charge = senders.get(request)?.charge;
      if (!charge) return;
      let answer = response;
      try {
        await charge.settle();
      } catch (error) {
        // The refusal replaces the errors of the operation, as in REST.
        answer = new fetchAPI.Response(JSON.stringify(refusalFor(error)), {
          status: FAILURES.RATE_LIMITED.http,
          headers: response.headers,
        });
        answer.headers.set("content-type", "application/json; charset=utf-8");
        answer.headers.delete("content-length");
        setResponse(answer);
      }
      for (const [name, value] of headerPairs(charge.headers)) answer.headers.set(name, value);
    },
  };
}

/** How the errors of an operation are answered that was refused with this error. */
function outcomesOf(refusal: unknown): (error: GraphQLError) => HttpOutcome | null {
  const overload = overloadOutcome(refusal);
  return overload ? () => overload : outcomeOf;
}

function outcomeOf(error: GraphQLError): HttpOutcome | null {
  const code = codeOf(error);
  return isFailureCode(code) && STATUS_CODES.has(code) ? { status: FAILURES[code].http } : null;
}
