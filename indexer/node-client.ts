import { setTimeout as sleep } from "node:timers/promises";
import { Agent, type Dispatcher, request } from "undici";
import { messageOf } from "../core/errors.ts";
import { createPace, type Pace } from "./adaptive.ts";
import { NodeUnavailable, RpcError } from "./errors.ts";

const ATTEMPTS = 5;
const FIRST_BACKOFF_MS = 100;
const LAST_BACKOFF_MS = 5_000;
const MAX_RESPONSE_BYTES = 1 << 29;
/** JSON-RPC codes by which nodes and their gateways say "not now" or "not so much". */
const BUSY_CODES = new Set([-32005, -32029, 429]);

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One node over JSON-RPC. */
export interface NodeClient extends AsyncDisposable {
  /** Result of one call. Throws `RpcError` for an error answer, `NodeUnavailable` when no answer was to be had. */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Answers in the order of the calls, batched and spread as the node bears it; an error answer is its place's value. */
  callAll(calls: readonly RpcCall[]): Promise<(RpcError | { readonly result: unknown })[]>;
  readonly pace: Pace;
}

export interface NodeClientOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestTimeoutMs: number;
  readonly maxConcurrency: number;
  readonly maxBatchSize: number;
  readonly signal: AbortSignal;
}

type Answer = RpcError | { readonly result: unknown };

/** A failed request: why, when it may be tried again, and whether less would do. */
class RequestFailed extends Error {
  constructor(
    message: string,
    readonly retryAfterMs = 0,
    readonly batchLimit?: number,
  ) {
    super(message);
  }
}

/** Opens nothing before the first call. `signal` ends all calls and waits. */
export function createNodeClient(options: NodeClientOptions): NodeClient {
  const agent = new Agent({
    connections: options.maxConcurrency,
    headersTimeout: options.requestTimeoutMs,
    bodyTimeout: options.requestTimeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
    connect: { timeout: options.requestTimeoutMs },
  });
  const pace = createPace({ concurrency: options.maxConcurrency, batchSize: options.maxBatchSize });
  const slots = createSlots(pace);

  async function send(calls: readonly RpcCall[]): Promise<Answer[]> {
    const startedAt = performance.now();
    try {
      const answers = await post(agent, options, calls);
      pace.succeeded(performance.now() - startedAt, calls.length);
      return answers;
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason;
      const failure = error instanceof RequestFailed ? error : new RequestFailed(messageOf(error));
      if (failure.batchLimit) pace.limitBatch(failure.batchLimit);
      else pace.failed();
      throw failure;
    }
  }

  async function sendWithRetries(calls: readonly RpcCall[]): Promise<Answer[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await slots.run(() => send(calls));
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        if (calls.length > pace.batchSize && calls.length > 1) return sendSplit(calls);
        if (attempt === ATTEMPTS)
          throw new NodeUnavailable(`the node at ${new URL(options.url).origin} ${error.message}`);
        const backoffMs = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt) * Math.random();
        await sleep(Math.max(backoffMs, error.retryAfterMs), undefined, { signal: options.signal });
      }
    }
  }

  async function sendSplit(calls: readonly RpcCall[]): Promise<Answer[]> {
    return (await Promise.all(chunks(calls, pace.batchSize).map(sendWithRetries))).flat();
  }

  return {
    pace,
    async call(method, params) {
      const [answer] = await sendWithRetries([{ method, params }]);
      if (answer instanceof RpcError) throw answer;
      return answer?.result;
    },
    callAll: sendSplit,
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** Lets as many run as the pace allows at that moment; the rest wait in order. */
function createSlots(pace: Pace) {
  const waiting: (() => void)[] = [];
  let running = 0;
  const next = () => {
    if (running < pace.concurrency) waiting.shift()?.();
  };
  return {
    async run<Result>(task: () => Promise<Result>): Promise<Result> {
      if (running >= pace.concurrency) await new Promise<void>((go) => waiting.push(go));
      running++;
      try {
        return await task();
      } finally {
        running--;
        next();
        next();
      }
    },
  };
}

async function post(agent: Dispatcher, options: NodeClientOptions, calls: readonly RpcCall[]): Promise<Answer[]> {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
  const response = await request(options.url, {
    method: "POST",
    dispatcher: agent,
    headers: { "content-type": "application/json", ...options.headers },
    body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
    signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.requestTimeoutMs)]),
  });
  const text = await response.body.text();
  if (response.statusCode === 413) throw tooLarge(calls, "answered HTTP 413");
  if (response.statusCode !== 200)
    throw new RequestFailed(`answered HTTP ${response.statusCode}`, retryAfter(response.headers["retry-after"]));
  return answersOf(calls, parsed(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestFailed(`answered something that is no JSON: ${JSON.stringify(text.slice(0, 80))}`);
  }
}

function retryAfter(header: string | string[] | undefined): number {
  const seconds = Number(header);
  return Number.isFinite(seconds) ? Math.min(60_000, seconds * 1_000) : 0;
}

function tooLarge(calls: readonly RpcCall[], why: string): RequestFailed {
  return new RequestFailed(why, 0, Math.max(1, calls.length >> 1));
}

interface WireAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } | null;
}

function answersOf(calls: readonly RpcCall[], body: unknown): Answer[] {
  const single = calls.length === 1;
  if (single !== !Array.isArray(body)) {
    const refusal = (body as WireAnswer | null)?.error?.message;
    if (!single) throw tooLarge(calls, `refuses a batch of ${calls.length}: ${String(refusal)}`);
    throw new RequestFailed("answered a batch to a single call");
  }
  const byId = new Map(
    (single ? [body] : (body as unknown[])).map((answer) => [(answer as WireAnswer | null)?.id, answer as WireAnswer]),
  );
  return calls.map((call, id) => answerOf(call, byId.get(id), calls));
}

function answerOf(call: RpcCall, answer: WireAnswer | null | undefined, calls: readonly RpcCall[]): Answer {
  if (answer?.error) {
    const error = new RpcError(Number(answer.error.code), String(answer.error.message), answer.error.data);
    if (BUSY_CODES.has(error.code)) throw new RequestFailed(`is busy: ${error.message}`);
    if (calls.length > 1 && /batch/i.test(error.message)) throw tooLarge(calls, error.message);
    return error;
  }
  if (answer && Object.hasOwn(answer, "result")) return { result: answer.result };
  throw new RequestFailed(`gave no answer to ${call.method}`);
}
