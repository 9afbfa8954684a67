import type { Config } from "../../config/config-schema.ts";
import type { Logger } from "../../observability/logger.ts";
import { countRejection } from "../../observability/rejections.ts";
import type { CostClass } from "../../work/work.ts";
import { createGate, type Gate, type GateLimits } from "./gate.ts";
import { Overloaded } from "./overloaded.ts";

/** What waits for its turn: the operations of a class, new documents, and the starts and events of subscriptions. */
export type GateName = CostClass | "document" | "event";

/** Limits what runs at the same time, by what it needs, so that light operations never wait for the turn of heavy ones. */
export type Admission = Readonly<Record<GateName, Gate>>;

export type AdmissionConfig = Pick<Config, "admission" | "databasePoolSize">;

/** Operations that wait for nodes or validators need hardly any processor time. Their requests to these have limits of their own. */
const REMOTE_OPERATIONS = 2_000;
/** Connections of the pool that light operations leave to the operations that wait for nodes. */
const REMOTE_CONNECTIONS = 2;
const WAITING_LIGHT_OPERATIONS = 2_000;
const WAITING_DOCUMENTS = 1_000;
/**
 * Events that are made at the same time. They have places of their own, so that a block for which thousands of subscriptions wait does not
 * keep requests out. Two are enough: events that read the database wait for it most of the time. Events are never refused, because a client
 * would not notice a missing one. Each subscription waits with its start or with one event, so the caps of subscriptions limit the queue.
 */
const EVENTS: GateLimits = { concurrent: 2, waiting: Number.POSITIVE_INFINITY, waitMs: Number.POSITIVE_INFINITY };
/** Refusals are answered at once up to this number in a second, and others after a second. */
const PROMPT_REFUSALS = 20;
const REFUSAL_DELAY_MS = 1_000;
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
  const light = Math.max(1, databasePoolSize - heavyOperations - EVENTS.concurrent - REMOTE_CONNECTIONS);
  const refuse = createRefusals(logger, nowMs);
  const gate = (name: GateName, concurrent: number, waiting: number): Gate =>
    createGate({ name, concurrent, waiting, waitMs, nowMs, refuse: (retryMs) => refuse(name, retryMs) });
  return {
    light: gate("light", light, WAITING_LIGHT_OPERATIONS),
    heavy: gate("heavy", heavyOperations, waitingHeavyOperations),
    remote: gate("remote", REMOTE_OPERATIONS, 0),
    document: gate("document", 1, WAITING_DOCUMENTS),
    event: createEventGate(),
  };
}

/** For subgraphs in processes of their own. The limits refuse nothing. */
export function createEventGate(): Gate {
  return createGate({ ...EVENTS, name: "event", nowMs: processNowMs, refuse: () => Promise.reject(new Overloaded(1)) });
}

/**
 * Counts and logs refusals, and delays them while there are many: a client that repeats its requests at once would otherwise use the processor
 * time of those that are admitted.
 */
function createRefusals(logger: Logger, nowMs: () => number): (name: GateName, retryMs: number) => Promise<never> {
  const report = createReport(logger, nowMs);
  let second = 0;
  let refusals = 0;
  return async (name, retryMs) => {
    countRejection("overloaded");
    report(name);
    const current = Math.floor(nowMs() / 1_000);
    refusals = current === second ? refusals + 1 : 1;
    second = current;
    if (refusals > PROMPT_REFUSALS) await new Promise((resume) => setTimeout(resume, REFUSAL_DELAY_MS));
    throw overloaded(Math.max(1, Math.ceil(retryMs / 1_000)));
  };
}

const known = new Map<number, Overloaded>();
const MAX_KNOWN = 100;

/** Returns the same error for the same number of seconds: to make one takes longer than most of a refusal, and nobody reads its stack. */
function overloaded(retryAfterSeconds: number): Overloaded {
  const error = known.get(retryAfterSeconds) ?? new Overloaded(retryAfterSeconds);
  // The expected wait may have any length, so not every error is kept.
  if (known.size < MAX_KNOWN) known.set(retryAfterSeconds, error);
  return error;
}

/** Logs refusals, at most one line in ten seconds. */
function createReport(logger: Logger, nowMs: () => number): (queue: GateName) => void {
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
