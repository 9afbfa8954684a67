import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { type ExecutionArgs, type ExecutionResult, type GraphQLError, print } from "graphql";
import { heavyTurn } from "../../core/admission/heavy-turns.ts";
import { isEventStream, mapEvents } from "../../core/event-stream.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import type { DirectSubscription, PassThrough } from "../pass-through.ts";
import type { DirectQuery } from "../plan/direct-query.ts";
import type { GraphContext } from "./graph-context.ts";
import { type OperationArgs, type PerOperation, perOperation } from "./per-operation.ts";

/**
 * Runs operations without Hive's executor if their plans can be compiled. An operation is planned and compiled when it is executed
 * for the first time. Each takes milliseconds, so the operation must have its turn, and the event loop does other work in between.
 */
export function usePassThrough(
  passThrough: PassThrough,
  directSubscription: PerOperation<DirectSubscription | null>,
): GatewayPlugin<GraphContext> {
  const directQuery = perOperation<DirectQuery | null>((document, operationName) =>
    passThrough.find(print(document), operationName),
  );
  const planInTurns = async (args: OperationArgs): Promise<DirectQuery | null> => {
    await heavyTurn();
    const query = directQuery(args);
    if (query) await heavyTurn();
    return query;
  };
  return {
    onExecute({ executeFn, setExecuteFn }) {
      const run = (args: ExecutionArgs, query: DirectQuery | null) => {
        const direct = query?.compile();
        return direct ? direct(args.variableValues ?? {}, args.contextValue as RequestInfo) : executeFn(args);
      };
      setExecuteFn((args) => {
        const known = directQuery.known(args.document, args.operationName ?? null);
        return known === undefined ? planInTurns(args).then((query) => run(args, query)) : run(args, known);
      });
    },
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn(async (args) => {
        const direct = directSubscription(args);
        if (direct) return direct(args.variableValues ?? {}, args.contextValue);
        const outcome: unknown = await subscribeFn(args);
        return isEventStream(outcome) ? mapEvents(outcome as AsyncIterable<ExecutionResult>, withOwnErrors) : outcome;
      });
    },
  };
}

/** Hive's executor adds the errors of an event to one list, which all later events have. This takes them out of the list. */
function withOwnErrors(event: ExecutionResult): ExecutionResult {
  return event.errors ? { ...event, errors: (event.errors as GraphQLError[]).splice(0) } : event;
}

/** The subscriptions that can run without Hive's executor, compiled when they are started for the first time. */
export function createSubscriptions(passThrough: PassThrough): PerOperation<DirectSubscription | null> {
  return perOperation((document, operationName) => passThrough.compileSubscription(print(document), operationName));
}
