import type { Config } from "../config-schema.ts";
import type { Logger } from "../logger.ts";
import { countRejection } from "../observability/rejections.ts";
import { createPacedCalls } from "../yield-to-event-loop.ts";
import type { CostClass } from "./cost-class.ts";
import { createDocumentTurns, type DocumentTurn } from "./document-turns.ts";
import { createEventAdmission, EVENT_PLACES, type EventAdmission } from "./event-admission.ts";
import type { Gate, Release } from "./gate.ts";
import { createObservedGate, type ObservedGate } from "./observed-gate.ts";
import { Overloaded } from "./overloaded.ts";
import { REMOTE_STATEMENTS } from "./run-in-class.ts";

/** An operation of the present request that wants to run. */
export interface Applicant {
  readonly costClass: CostClass;
  /** Identifies the caller, see `Callers.shareOf`. */
  readonly caller: string;
}

/** Limits the operations that run at the same time, by class of cost, so that light ones never wait for the turn of heavy ones. */
export interface Admission {
  /** True if operations of some class would be refused at once. Costs less than the class of an operation. */
  isRefusing(caller: string): boolean;
  /**
   * Refuses an operation that `enter` would refuse at once, before anything else is done for it: returns a promise that rejects with
   * `Overloaded`. Returns null if the operation would run or wait.
   */
  refuse(costClass: CostClass, caller: string): Promise<never> | null;
  /**
   * Returns `Release`: at once, or as a promise if the operation has to wait. Rejects with the reason if the work of
   * the present request is cancelled meanwhile, and with `Overloaded` if too many operations wait or if the wait takes too long.
   */
  enter(applicant: Applicant): Release | Promise<Release>;
  /**
   * Counts the characters of rows that an operation keeps in memory while it waits for its turn; `own` is the number that was counted for the
   * same operation before. Returns the function to call when it waits no more. Throws `Overloaded` if the caller has other operations that keep rows,
   * and would have more than 16 Mi characters, or all callers more than 64 Mi.
   */
  holdRows(applicant: Applicant, rows: { readonly characters: number; readonly own: number }): Release;
  /** For documents that are not known. */
  readonly documentTurn: DocumentTurn;
  /** For the events of subscriptions that have started. */
  readonly events: EventAdmission;
  /** Operations that run and wait now, by class. */
  readonly gates: Readonly<Record<CostClass, Pick<Gate, "running" | "waiting">>>;
}

/** What refuses requests, by its name in metrics. */
type QueueName = CostClass | "document";

const knownRefusals = new Map<number, Overloaded>();

/** Returns the same error for the same number of seconds: to make one takes longer than most of a refusal, and nobody reads its stack. */
function overloaded(retryAfterSeconds: number): Overloaded {
  const known = knownRefusals.get(retryAfterSeconds) ?? new Overloaded(retryAfterSeconds);
  // The expected wait may have any length, so not every error is kept.
  if (knownRefusals.size < MAX_KNOWN_REFUSALS) knownRefusals.set(retryAfterSeconds, known);
  return known;
}

export type AdmissionConfig = Pick<Config, "admission" | "databasePoolSize">;

/** Operations that wait for nodes or validators need hardly any processor time. Their requests to these have limits of their own. */
const REMOTE_OPERATIONS = 2_000;
const WAITING_LIGHT_OPERATIONS = 2_000;
const WAITING_DOCUMENTS = 1_000;
const MAX_HELD_CHARACTERS = { caller: 1 << 24, all: 1 << 26 } as const;
/** A heavy operation takes about this time when many run. */
const RETRY_HELD_SECONDS = 1;
/** Refusals are answered at once up to this number in a second, and later ones with a growing delay. */
const PROMPT_REFUSALS = 20;
const DELAY_PER_REFUSAL_MS = 10;
const MAX_DELAY_MS = 1_000;
/** Delayed refusals are answered together at multiples of this time. One at a time, each takes about twice as much processor time. */
const REFUSAL_INTERVAL_MS = 50;
const MAX_KNOWN_REFUSALS = 100;
const LOG_INTERVAL_MS = 10_000;

/** `nowMs` is a clock that only advances. Default: that of the process. */
export function createAdmission(
  { admission, databasePoolSize }: AdmissionConfig,
  logger: Logger,
  nowMs: () => number = () => performance.now(),
): Admission {
  const { heavyOperations, waitingHeavyOperations, waitSeconds } = admission;
  const waitMs = waitSeconds * 1_000;
  // Most light operations run one statement at a time, so with this number of them, they hardly ever wait for a connection.
  const lightOperations = Math.max(1, databasePoolSize - heavyOperations - EVENT_PLACES - REMOTE_STATEMENTS);
  const heavy = { concurrent: heavyOperations, waiting: waitingHeavyOperations, waitMs };
  const light = { concurrent: lightOperations, waiting: WAITING_LIGHT_OPERATIONS, waitMs };
  const remote = { concurrent: REMOTE_OPERATIONS, waiting: 0, waitMs };
  const observed: Record<CostClass, ObservedGate> = {
    light: createObservedGate("light", light, nowMs),
    heavy: createObservedGate("heavy", heavy, nowMs),
    remote: createObservedGate("remote", remote, nowMs),
    heavyRemote: createObservedGate("heavyRemote", heavy, nowMs),
  };
  const gates = {
    light: observed.light.gate,
    heavy: observed.heavy.gate,
    remote: observed.remote.gate,
    heavyRemote: observed.heavyRemote.gate,
  };
  const documents = createObservedGate("document", { concurrent: 1, waiting: WAITING_DOCUMENTS, waitMs }, nowMs);
  const paced = createPacing(nowMs);
  const report = createReport(logger, nowMs);

  const note = (queue: QueueName): void => {
    countRejection("overloaded");
    report(queue);
  };
  async function refuse(queue: QueueName, retryMs: number): Promise<never> {
    note(queue);
    await paced();
    throw overloaded(Math.max(1, Math.ceil(retryMs / 1_000)));
  }
  const all = Object.values(gates);
  const held = createHeldRows();
  return {
    gates,
    holdRows({ costClass, caller }, { characters, own }) {
      const release = held.take(caller, characters, own);
      if (release) return release;
      // Not delayed, as other refusals are: the rows would stay in memory.
      note(costClass);
      throw overloaded(RETRY_HELD_SECONDS);
    },
    documentTurn: createDocumentTurns(documents, (retryMs) => refuse("document", retryMs)),
    events: createEventAdmission(),
    isRefusing(caller) {
      // Called for each request: a loop takes less time than a function for each gate.
      for (const gate of all) if (gate.refusal(caller) !== null) return true;
      return false;
    },
    refuse(costClass, caller) {
      const retryMs = gates[costClass].refusal(caller);
      return retryMs === null ? null : refuse(costClass, retryMs);
    },
    enter({ costClass, caller }) {
      const release = gates[costClass].tryEnter(caller);
      return release ?? observed[costClass].wait(caller, (retryMs) => refuse(costClass, retryMs));
    },
  };
}

/** The characters of rows that operations keep while they wait, by caller. */
function createHeldRows() {
  const byCaller = new Map<string, number>();
  let all = 0;
  const add = (caller: string, characters: number): void => {
    const ofCaller = (byCaller.get(caller) ?? 0) + characters;
    if (ofCaller === 0) byCaller.delete(caller);
    else byCaller.set(caller, ofCaller);
    all += characters;
  };
  return {
    /** `own` is what the same operation has taken before. Null if rows of other operations of the caller wait, and there would be too many characters. */
    take(caller: string, characters: number, own: number): Release | null {
      const ofCaller = byCaller.get(caller) ?? 0;
      const isTooMuch =
        ofCaller + characters > MAX_HELD_CHARACTERS.caller || all + characters > MAX_HELD_CHARACTERS.all;
      if (ofCaller > own && isTooMuch) return null;
      add(caller, characters);
      return () => add(caller, -characters);
    },
  };
}

/**
 * Delays refusals while there are many of them: a client that repeats its requests at once would otherwise use the processor time
 * of those that are admitted.
 */
function createPacing(nowMs: () => number): () => Promise<void> | undefined {
  const waitUntil = createMoments(nowMs);
  let second = 0;
  let refusals = 0;
  return () => {
    const now = nowMs();
    const current = Math.floor(now / 1_000);
    if (current !== second) refusals = 0;
    second = current;
    refusals++;
    const delayMs = Math.min((refusals - PROMPT_REFUSALS) * DELAY_PER_REFUSAL_MS, MAX_DELAY_MS);
    return delayMs > 0 ? waitUntil(now + delayMs) : undefined;
  };
}

/**
 * Returns a function that waits until the next multiple of the interval after a time. All who wait for the same multiple share a timer. If they
 * are many, some go on in later iterations of the event loop.
 */
function createMoments(nowMs: () => number): (timeMs: number) => Promise<void> {
  const moments = new Map<number, (() => void)[]>();
  const turns = createPacedCalls();
  const end = (moment: number) => {
    for (const resume of moments.get(moment) ?? []) turns.add(resume);
    moments.delete(moment);
  };
  return (timeMs) =>
    new Promise((resume) => {
      const moment = Math.ceil(timeMs / REFUSAL_INTERVAL_MS) * REFUSAL_INTERVAL_MS;
      const waiting = moments.get(moment);
      if (waiting) return void waiting.push(resume);
      moments.set(moment, [resume]);
      setTimeout(end, moment - nowMs(), moment);
      return undefined;
    });
}

/** Logs refusals, at most one line in ten seconds. */
function createReport(logger: Logger, nowMs: () => number): (queue: QueueName) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let refused = 0;
  return (queue) => {
    refused++;
    if (nowMs() - loggedAt < LOG_INTERVAL_MS) return;
    logger.warn(
      { refused, queue },
      `the service is overloaded; requests refused since the last line of this kind: ${refused}`,
    );
    loggedAt = nowMs();
    refused = 0;
  };
}
