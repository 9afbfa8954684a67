import { Agent } from "undici";
import { linkedController } from "../../../core/async/linked-controller.ts";
import { createRedaction, type Redact } from "../../../core/errors/redaction.ts";
import { type Clock, SYSTEM_CLOCK } from "../clock.ts";
import { RpcError } from "./errors.ts";
import { createLoadLimits, type LoadLimits } from "./load-limits.ts";
import { createRequestMetrics, type NodeLabels } from "./request-metrics.ts";
import { type Connection, sendCalls } from "./retry.ts";
import type { Answer, RpcCall } from "./rpc-answers.ts";
import type { RequestOptions } from "./rpc-request.ts";
import { createTaskLimiter } from "./task-limiter.ts";

const MAX_RESPONSE_BYTES = 1 << 27;
const ATTEMPTS = 5;

/** A client of one JSON-RPC node. */
export interface NodeClient extends AsyncDisposable {
  /** Result of one call. Throws `RpcError` for an error answer, `NodeUnavailable` if there is no answer. */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /**
   * Sends the calls in as many requests as `limits` require, and returns the answers in the order of the calls. If the node
   * answers a call with an error, that answer is an `RpcError`. Throws `NodeUnavailable` if a call has no answer.
   */
  callAll(calls: readonly RpcCall[]): Promise<Answer[]>;
  readonly limits: LoadLimits;
  /** Removes the node's address and the secrets of its settings from a text. The messages of its errors are redacted already. */
  readonly redact: Redact;
  readonly requestTimeoutMs: number;
}

export interface NodeClientOptions extends RequestOptions {
  readonly maxConcurrency: number;
  readonly maxBatchSize: number;
  /** Number of attempts for each request. Default: 5. */
  readonly attempts?: number;
  /** The labels of its metrics. Default: it has no metrics. */
  readonly labels?: NodeLabels;
  /** Ends all calls, which reject with its reason. */
  readonly signal: AbortSignal;
  /** Maximum size of an answer that is read. Default: 128 MiB. */
  readonly maxResponseBytes?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Opens no connection before the first call. Makes up to `attempts` attempts for each request, during at most about twice
 * `requestTimeoutMs`; splits the request if the limits require it. If no attempt succeeds, `callAll` fails as a whole. After HTTP
 * 404, or a `retry-after` of more than five seconds, there is no further attempt.
 */
export function createNodeClient(options: NodeClientOptions): NodeClient {
  const closing = linkedController(options.signal);
  const limits = createLoadLimits({ concurrency: options.maxConcurrency, batchSize: options.maxBatchSize });
  const limiter = createTaskLimiter(limits);
  const { clock = SYSTEM_CLOCK, requestTimeoutMs } = options;
  const redact = createRedaction(options);
  const connection: Connection = {
    agent: agentOf(options),
    options: { ...options, redact },
    limits,
    limiter,
    clock,
    attempts: options.attempts ?? ATTEMPTS,
    metrics: createRequestMetrics(options.labels ?? null),
    noRequestsBeforeMs: 0,
  };

  async function callAll(calls: readonly RpcCall[]): Promise<Answer[]> {
    using job = linkedController(closing.signal);
    try {
      return await sendCalls(connection, calls, job.signal);
    } catch (error) {
      // The other requests are no longer needed, and would delay the next calls.
      job.abort(error);
      closing.signal.throwIfAborted();
      throw error;
    }
  }

  return {
    limits,
    redact,
    requestTimeoutMs,
    callAll,
    async call(method, params) {
      // One call is one request, so there are no others that its failure must end.
      const [answer] = await sendCalls(connection, [{ method, params }], closing.signal);
      if (answer instanceof RpcError) throw answer;
      return answer?.result;
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("the client of the node is closed"));
      closing[Symbol.dispose]();
    },
  };
}

/** The agents of all clients, by their limits. */
const agents = new Map<string, Agent>();

/**
 * The chains of a node share its connections: an agent of each of hundreds of chains would keep connections open, and 30 KB of memory. The
 * number of connections has no limit here, because each client sends at most `maxConcurrency` requests at the same time.
 */
function agentOf({ requestTimeoutMs, maxResponseBytes = MAX_RESPONSE_BYTES }: NodeClientOptions): Agent {
  const key = `${requestTimeoutMs} ${maxResponseBytes}`;
  let agent = agents.get(key);
  if (!agent) {
    const connect = { timeout: requestTimeoutMs };
    agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: maxResponseBytes, connect });
    agents.set(key, agent);
  }
  return agent;
}
