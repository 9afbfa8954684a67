import { cancelReason } from "../observability/request-scope.ts";
import type { CostClass } from "./cost-class.ts";
import type { Release } from "./gate.ts";
import { createObservedGate, type ObservedGate } from "./observed-gate.ts";

/** An event of a subscription that wants to be made: the class and the caller are those of the subscription. */
export interface EventApplicant {
  readonly costClass: CostClass;
  readonly caller: string;
}

/**
 * Limits the events of subscriptions that are made at the same time. Events are not refused, because a client would not notice a
 * missing one: they wait for their turn. Each subscription waits with at most one event, so the number of subscriptions limits the queue.
 */
export interface EventAdmission {
  /** Number of events that wait now. */
  readonly waiting: number;
  /**
   * Returns `Release`: at once, or as a promise if the event has to wait. Rejects with the reason if the present work is
   * cancelled meanwhile.
   */
  enter(applicant: EventApplicant): Release | Promise<Release>;
}

/**
 * Events that are made at the same time, by class. They have places of their own, so that a block for which thousands of subscriptions
 * wait does not keep requests out. Two are enough: events that read the database wait for it most of the time.
 */
export const EVENT_PLACES = 2;
/** Events that wait for a node or validators need hardly any processor time. */
const REMOTE_EVENT_PLACES = 100;

export function createEventAdmission(): EventAdmission {
  const local = createQueue("event", EVENT_PLACES);
  const remote = createQueue("remoteEvent", REMOTE_EVENT_PLACES);
  const heavyRemote = createQueue("heavyRemoteEvent", EVENT_PLACES);
  const all = [local, remote, heavyRemote];
  const queues: Record<CostClass, ObservedGate> = { light: local, heavy: local, remote, heavyRemote };
  return {
    get waiting() {
      return all.reduce((sum, { gate }) => sum + gate.waiting, 0);
    },
    enter({ costClass, caller }) {
      const { gate, wait } = queues[costClass];
      return gate.tryEnter(caller) ?? wait(caller, neverRefused);
    },
  };
}

/** The limits of these queues refuse nothing. */
const neverRefused = async (): Promise<never> => {
  throw cancelReason();
};

function createQueue(name: string, concurrent: number): ObservedGate {
  const limits = { concurrent, waiting: Number.POSITIVE_INFINITY, waitMs: Number.POSITIVE_INFINITY };
  return createObservedGate(name, limits, () => performance.now());
}
