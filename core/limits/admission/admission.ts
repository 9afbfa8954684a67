import type { Config } from "../../config/config-schema.ts";
import { REMOTE_STATEMENTS } from "../../database/database.ts";
import type { Logger } from "../../observability/logger.ts";
import { countRejection } from "../../observability/rejections.ts";
import type { CostClass } from "../../work/work.ts";
import { createGate, type Gate } from "./gate.ts";
import { Overloaded } from "./overloaded.ts";

/** For the starts and events of subscriptions, by what these need. */
export type EventGates = Readonly<Record<"event" | "remoteEvent" | "heavyRemoteEvent", Gate>>;

/**
 * Limits what runs at the same time, by what it needs, so that light operations never wait for the turn of heavy ones: the operations of each
 * class, new documents, and the starts and events of subscriptions.
 */
export type Admission = Readonly<Record<CostClass | "document", Gate>> & EventGates;

type GateName = keyof Admission;

export type AdmissionConfig = Pick<Config, "admission" | "databasePoolSize">;

/** Operations that wait for nodes or validators need hardly any processor time. Their requests to these have limits of their own. */
const REMOTE_OPERATIONS = 2_000;
const WAITING_LIGHT_OPERATIONS = 2_000;
const WAITING_DOCUMENTS = 1_000;
/**
 * Events that are made at the same time. They have places of their own, so that a block for which thousands of subscriptions wait does not
 * keep requests out. Two are enough: events that read the database wait for it most of the time.
 */
const EVENTS = 2;
/** Events that wait for a node or validators need hardly any processor time. */
const REMOTE_EVENTS = 100;
/** Refusals are answered at once up to this number in a second, and others after a second. */
const PROMPT_REFUSALS = 20;
const REFUSAL_DELAY_MS = 1_000;
/** Refusals of this time are answered together. One at a time, each takes about twice as much processor time. */
const TOGETHER_MS = 50;
const LOG_INTERVAL_MS = 10_000;

const processNowMs = (): number => performance.now();

/** `nowMs` is a clock that only advances. Default: that of the process. */
export function createAdmission(
  { admission, databasePoolSize }: AdmissionConfig,
  logger: Logger,
  nowMs: () => number = processNowMs,
): Admission {
  const { heavyOperations, waitingHeavyOperations, waitSeconds } = admission;
  const waitMs = waitSeconds * 1_000;
  // Most light operations run one statement at a time, so with this number of them, they hardly ever wait for a connection.
  const light = Math.max(1, databasePoolSize - heavyOperations - EVENTS - REMOTE_STATEMENTS);
  const refuse = createRefusals(logger, nowMs);
  const gate = (name: GateName, concurrent: number, waiting: number): Gate =>
    createGate({ name, concurrent, waiting, waitMs, nowMs, refuse: (retryMs) => refuse(name, retryMs) });
  return {
    light: gate("light", light, WAITING_LIGHT_OPERATIONS),
    heavy: gate("heavy", heavyOperations, waitingHeavyOperations),
    remote: gate("remote", REMOTE_OPERATIONS, 0),
    heavyRemote: gate("heavyRemote", heavyOperations, waitingHeavyOperations),
    document: gate("document", 1, WAITING_DOCUMENTS),
    ...createEventGates(),
  };
}

/**
 * Events are never refused, because a client would not notice a missing one. Each subscription waits with its start or with one event, so the
 * caps of subscriptions limit the queues.
 */
export function createEventGates(): EventGates {
  const unlimited = { waiting: Number.POSITIVE_INFINITY, waitMs: Number.POSITIVE_INFINITY };
  const refuse = () => new Overloaded(1);
  const gate = (name: GateName, concurrent: number): Gate =>
    createGate({ ...unlimited, name, concurrent, nowMs: processNowMs, refuse });
  return {
    event: gate("event", EVENTS),
    remoteEvent: gate("remoteEvent", REMOTE_EVENTS),
    heavyRemoteEvent: gate("heavyRemoteEvent", EVENTS),
  };
}

/** Refusals that are answered at the same time, by the seconds after which to try again. To make an error takes longer than the rest of a refusal. */
interface Group {
  readonly untilMs: number;
  readonly delay: Promise<void>;
  readonly errors: Map<number, Overloaded>;
}

/**
 * Counts and logs refusals, and delays their answers while there are many: a client that repeats its requests at once would otherwise use the
 * processor time of those that are admitted.
 */
function createRefusals(logger: Logger, nowMs: () => number): (name: GateName, retryMs: number) => Overloaded {
  const report = createReport(logger);
  let second = 0;
  let refusals = 0;
  let group: Group | null = null;
  const groupAt = (now: number): Group => {
    if (group && now < group.untilMs) return group;
    const delay = new Promise<void>((resume) => setTimeout(resume, REFUSAL_DELAY_MS));
    group = { untilMs: now + TOGETHER_MS, delay, errors: new Map() };
    return group;
  };
  return (name, retryMs) => {
    countRejection("overloaded");
    const now = nowMs();
    report(name, now);
    const current = Math.floor(now / 1_000);
    refusals = current === second ? refusals + 1 : 1;
    second = current;
    const retrySeconds = Math.max(1, Math.ceil(retryMs / 1_000));
    if (refusals <= PROMPT_REFUSALS) return new Overloaded(retrySeconds);
    const { delay, errors } = groupAt(now);
    const error = errors.get(retrySeconds) ?? new Overloaded(retrySeconds, delay);
    errors.set(retrySeconds, error);
    return error;
  };
}

/** Logs refusals, at most one line in ten seconds. */
function createReport(logger: Logger): (queue: GateName, nowMs: number) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let refused = 0;
  return (queue, nowMs) => {
    refused++;
    if (nowMs - loggedAt < LOG_INTERVAL_MS) return;
    logger.warn(
      { refused, queue },
      `the service is overloaded; requests refused since the last line of this kind: ${refused}`,
    );
    loggedAt = nowMs;
    refused = 0;
  };
}
