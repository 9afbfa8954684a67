import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { ExecutionArgs } from "graphql";
import type { Admission } from "../../core/admission/admission.ts";
import { eventsInTurns } from "../../core/admission/event-turns.ts";
import type { Release } from "../../core/admission/gate.ts";
import { Overloaded } from "../../core/admission/overloaded.ts";
import { runEntered } from "../../core/admission/run-entered.ts";
import { isEventStream } from "../../core/event-stream.ts";
import type { GraphContext } from "./graph-context.ts";
import { refusalFor, refusedHooks } from "./refusals.ts";
import { overloadOutcome } from "./use-refusal.ts";

type Execute = (args: ExecutionArgs) => unknown;

/**
 * Lets callers' operations wait for their turn, and refuses them with status 503 if too many wait. Statements of heavy operations can be
 * cancelled. A subscription counts as running until it has started; later, its events wait for their turns. This is the last step, so that an operation takes a place only while
 * it is executed.
 */
export function useAdmission(admission: Admission): GatewayPlugin<GraphContext> {
  /** Executes the operation when its turn comes. Null if the operation does not have to wait for a turn. */
  const inTurn = (args: ExecutionArgs, execute: Execute) => {
    const { share, costClass, onRun } = args.contextValue as GraphContext;
    if (!share || !costClass) return null;
    let refusal: unknown = null;
    const refused = (error: unknown) => {
      refusal = error;
      return refusalFor(error);
    };
    const run = async (given: ExecutionArgs): Promise<unknown> => {
      const caller = share();
      let release: Release;
      try {
        release = await admission.enter({ costClass, caller });
      } catch (error) {
        return refused(error);
      }
      try {
        const result = await runEntered({ admission, costClass, caller }, release, () => execute(given));
        onRun?.();
        return result;
      } catch (error) {
        // A light operation that has turned out to be heavy may be refused.
        if (error instanceof Overloaded) return refused(error);
        throw error;
      }
    };
    return { run, hooks: refusedHooks(args, () => overloadOutcome(refusal)) };
  };
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const turn = inTurn(args, executeFn);
      if (turn) setExecuteFn(turn.run);
      return turn?.hooks;
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      const { share, costClass } = args.contextValue as GraphContext;
      const subscribe: Execute = async (given) => {
        const events: unknown = await subscribeFn(given);
        if (!share || !costClass || !isEventStream(events)) return events;
        return eventsInTurns(events, { costClass, caller: share() }, admission.events);
      };
      const turn = inTurn(args, subscribe);
      if (turn) setSubscribeFn(turn.run as typeof subscribeFn);
      return turn?.hooks;
    },
  };
}
