import { eventsFrom } from "../event-stream.ts";
import { currentScope, runInScope } from "../observability/request-scope.ts";
import { type CostClass, isHeavy } from "./cost-class.ts";
import type { EventAdmission } from "./event-admission.ts";
import type { Release } from "./gate.ts";
import { heavyTurn } from "./heavy-turns.ts";
import { beginWorkPart } from "./work-part.ts";

/** The subscription whose events take turns. */
export interface Subscriber {
  readonly costClass: CostClass;
  /** Identifies the caller, see `Callers.shareOf`. */
  readonly caller: string;
}

/**
 * The events of a subscription of the present request. From the moment at which the source has an event (see `sourceInTurns`) until it
 * is complete, each takes a place of its class. Making an event may take at most 60 seconds.
 */
export function eventsInTurns<Event>(
  events: AsyncIterable<Event>,
  { costClass, caller }: Subscriber,
  admission: EventAdmission,
): AsyncIterableIterator<Event, void> {
  const scope = currentScope();
  const { requestId = "" } = scope ?? {};
  const next = async (source: AsyncIterator<Event>): Promise<IteratorResult<Event, void>> => {
    const part = beginWorkPart();
    let release: Release | undefined;
    const beginEvent = async () => {
      release ??= await admission.enter({ costClass, caller });
      part.startDeadline();
      await heavyTurn();
    };
    try {
      const own = { requestId, work: part.work, isHeavy: isHeavy(costClass), beginEvent };
      return await runInScope(own, () => source.next());
    } finally {
      release?.();
      part.end();
    }
  };
  return eventsFrom(events, (source) => runInScope(scope, () => next(source)));
}

/** The events of a source, each after it has its turn, if the subscription that reads it takes turns (see `eventsInTurns`). */
export function sourceInTurns<Event>(events: AsyncIterable<Event>): AsyncIterableIterator<Event, void> {
  return eventsFrom(events, async (source) => {
    const scope = currentScope();
    const next = await source.next();
    if (!next.done) await scope?.beginEvent?.();
    return next;
  });
}
