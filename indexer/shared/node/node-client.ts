import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { createPace, type Pace } from "./adaptive-concurrency.ts";
import { NodeUnavailable, RpcError } from "./errors.ts";
import { linkedController } from "./linked-controller.ts";
import { type Answer, RequestFailed, type RequestOptions, type RpcCall, sendRequest } from "./rpc-request.ts";
import { createSlots } from "./task-limiter.ts";

const ATTEMPTS = 5;
const FIRST_BACKOFF_MS = 100;
/** Longest wait before an attempt; a node that wants to be left alone for longer is unavailable. */
const LAST_BACKOFF_MS = 5_000;
const MAX_RESPONSE_BYTES = 1 << 27;

/** One node over JSON-RPC. */
export interface NodeClient extends AsyncDisposable {
  /** Result of one call. Throws `RpcError` for an error answer, `NodeUnavailable` when no answer was to be had. */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Answers in the order of the calls, batched and spread as the node bears it; an error answer is its place's value. */
  callAll(calls: readonly RpcCall[]): Promise<Answer[]>;
  readonly pace: Pace;
}

export interface NodeClientOptions extends RequestOptions {
  readonly maxConcurrency: number;
  readonly maxBatchSize: number;
  readonly signal: AbortSignal;
  /** Longest answer to a request that is read. Default: 128 MiB. */
  readonly maxResponseBytes?: number;
}

/** How often a request was tried, and since when it fails; a request that is split hands both on. */
interface Trial {
  readonly attempt: number;
  readonly failingSinceMs: number;
}

const FIRST_TRIAL: Trial = { attempt: 1, failingSinceMs: Number.POSITIVE_INFINITY };

/**
 * Opens nothing before the first call. A request that fails is tried again, smaller if need be, up to five times and for
 * about twice the time of a request; then all that was asked with it is given up. `signal` ends all calls and waits.
 */
export function createNodeClient(options: NodeClientOptions): NodeClient {
  const agent = new Agent({
    connections: options.maxConcurrency,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    connect: { timeout: options.requestTimeoutMs },
  });
  const pace = createPace({ concurrency: options.maxConcurrency, batchSize: options.maxBatchSize });
  const slots = createSlots(pace);
  let leftAloneUntilMs = 0;

  async function sendOnce(calls: readonly RpcCall[], job: AbortSignal): Promise<Answer[]> {
    job.throwIfAborted();
    const startedAt = performance.now();
    if (startedAt < leftAloneUntilMs)
      throw new RequestFailed("asked to be left alone for a while", leftAloneUntilMs - startedAt);
    try {
      const answers = await sendRequest(agent, options, calls, job);
      pace.succeeded(performance.now() - startedAt, calls.length);
      return answers;
    } catch (error) {
      if (error instanceof RequestFailed) takeNote(error);
      throw error;
    }
  }

  function takeNote({ batchLimit, retryAfterMs }: RequestFailed): void {
    if (batchLimit === null) pace.failed();
    else pace.limitBatch(batchLimit);
    if (retryAfterMs > 0) leftAloneUntilMs = Math.max(leftAloneUntilMs, performance.now() + retryAfterMs);
  }

  async function send(calls: readonly RpcCall[], job: AbortSignal, trial: Trial): Promise<Answer[]> {
    try {
      return await slots.run(() => sendOnce(calls, job));
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      const next = error.batchLimit === null ? await backOff(error, job, trial) : trial;
      return calls.length > pace.batchSize ? sendSplit(calls, job, next) : send(calls, job, next);
    }
  }

  async function backOff(error: RequestFailed, job: AbortSignal, { attempt, failingSinceMs }: Trial): Promise<Trial> {
    const now = performance.now();
    const isHopeless = error.isMissing || attempt >= ATTEMPTS || now - failingSinceMs > options.requestTimeoutMs;
    if (isHopeless || error.retryAfterMs > LAST_BACKOFF_MS)
      throw new NodeUnavailable(
        `the node ${error.message}`,
        error.retryAfterMs,
        error.isMissing,
        [new URL(options.url).origin, error.detail].filter(Boolean).join(": "),
      );
    const backoffMs = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt) * Math.random();
    await sleep(Math.max(backoffMs, error.retryAfterMs), undefined, { signal: job });
    return { attempt: attempt + 1, failingSinceMs: Math.min(failingSinceMs, now) };
  }

  async function sendSplit(calls: readonly RpcCall[], job: AbortSignal, trial: Trial): Promise<Answer[]> {
    return (await Promise.all(chunks(calls, pace.batchSize).map((part) => send(part, job, trial)))).flat();
  }

  async function callAll(calls: readonly RpcCall[]): Promise<Answer[]> {
    using job = linkedController(options.signal);
    try {
      return await sendSplit(calls, job.signal, FIRST_TRIAL);
    } catch (error) {
      // Nobody waits for the rest; it would stand before what is asked next.
      job.abort(error);
      options.signal.throwIfAborted();
      throw error;
    }
  }

  return {
    pace,
    callAll,
    async call(method, params) {
      const [answer] = await callAll([{ method, params }]);
      if (answer instanceof RpcError) throw answer;
      return answer?.result;
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}
