import type { Dispatcher } from "undici";
import type { Clock } from "../clock.ts";
import { NodeUnavailable } from "./errors.ts";
import type { LoadLimits } from "./load-limits.ts";
import { RequestFailed } from "./request-failed.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import type { Answer, RpcCall } from "./rpc-answers.ts";
import { type RequestTarget, sendRequest } from "./rpc-request.ts";
import type { TaskLimiter } from "./task-limiter.ts";

const FIRST_BACKOFF_MS = 100;
/** Longest wait before an attempt. If the node's `retry-after` is longer, the node counts as unavailable. */
const MAX_BACKOFF_MS = 5_000;

/** The state of a node client that its requests share. */
export interface Connection {
  readonly agent: Dispatcher;
  readonly options: RequestTarget;
  readonly limits: LoadLimits;
  readonly limiter: TaskLimiter;
  readonly clock: Clock;
  /** Number of attempts for each request. */
  readonly attempts: number;
  readonly metrics: RequestMetrics;
  /** Time before which no request is sent, because of the node's `retry-after`, in milliseconds of the clock. */
  noRequestsBeforeMs: number;
}

/**
 * Number of an attempt of a request, from 1, and the time of the first failed attempt in milliseconds of the clock. If a request
 * is split, its parts continue with both values.
 */
interface Attempt {
  readonly number: number;
  readonly failingSinceMs: number;
}

const FIRST_ATTEMPT: Attempt = { number: 1, failingSinceMs: Number.POSITIVE_INFINITY };

/** Sends calls in as many requests as the limits require. Throws `NodeUnavailable` after the last attempt, or `job`'s reason. */
export async function sendCalls(
  connection: Connection,
  calls: readonly RpcCall[],
  job: AbortSignal,
  attempt = FIRST_ATTEMPT,
): Promise<Answer[]> {
  const batches = chunks(calls, connection.limits.batchSize);
  return (await Promise.all(batches.map((batch) => sendBatch(connection, batch, job, attempt)))).flat();
}

async function sendBatch(
  connection: Connection,
  calls: readonly RpcCall[],
  job: AbortSignal,
  attempt: Attempt,
): Promise<Answer[]> {
  const { limiter, limits } = connection;
  try {
    return await limiter.run(() => sendOnce(connection, calls, job));
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    // A refusal because of the batch size does not count as an attempt.
    const next = error.batchLimit === null ? await backOff(connection, error, job, attempt) : attempt;
    const send = calls.length > limits.batchSize ? sendCalls : sendBatch;
    return send(connection, calls, job, next);
  }
}

async function sendOnce(connection: Connection, calls: readonly RpcCall[], job: AbortSignal): Promise<Answer[]> {
  const { agent, options, limits, clock, metrics, noRequestsBeforeMs } = connection;
  job.throwIfAborted();
  const startedAt = clock.nowMs();
  if (startedAt < noRequestsBeforeMs)
    throw new RequestFailed("asked for no requests for a while", { retryAfterMs: noRequestsBeforeMs - startedAt });
  try {
    const answers = await sendRequest(agent, options, calls, job);
    const ms = clock.nowMs() - startedAt;
    limits.succeeded(ms, calls.length);
    metrics.answered(answers, ms);
    return answers;
  } catch (error) {
    if (error instanceof RequestFailed) {
      recordFailure(connection, error);
      metrics.failed(error, clock.nowMs() - startedAt);
    }
    throw error;
  }
}

function recordFailure(connection: Connection, { batchLimit, retryAfterMs }: RequestFailed): void {
  if (batchLimit === null) connection.limits.failed();
  else connection.limits.limitBatch(batchLimit);
  if (retryAfterMs > 0)
    connection.noRequestsBeforeMs = Math.max(connection.noRequestsBeforeMs, connection.clock.nowMs() + retryAfterMs);
}

/** Waits before the next attempt. Throws `NodeUnavailable` if there should be none. */
async function backOff(
  { options, clock, attempts }: Connection,
  error: RequestFailed,
  job: AbortSignal,
  { number, failingSinceMs }: Attempt,
): Promise<Attempt> {
  const now = clock.nowMs();
  const isLast = error.isMissing || number >= attempts || now - failingSinceMs > options.requestTimeoutMs;
  if (isLast || error.retryAfterMs > MAX_BACKOFF_MS)
    throw new NodeUnavailable(
      `the node ${error.message}`,
      error.retryAfterMs,
      error.isMissing,
      [new URL(options.url).origin, error.detail && options.redact(error.detail)].filter(Boolean).join(": "),
    );
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** number) * Math.random();
  await clock.sleep(Math.max(backoffMs, error.retryAfterMs), job);
  return { number: number + 1, failingSinceMs: Math.min(failingSinceMs, now) };
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}
