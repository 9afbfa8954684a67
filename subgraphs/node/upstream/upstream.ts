import { Failure, messageOf } from "../../../core/errors/errors.ts";
import { createRedaction, type Redact } from "../../../core/errors/redaction.ts";
import { parseJsonExactly } from "../../../core/formats/json.ts";
import { hintFor } from "../../../core/networks/http-hints.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { createOutageLog } from "../../../core/observability/outage-log.ts";
import { createAnswerCache } from "./answer-cache.ts";
import { createNodeHttp, type HttpAnswer, sizeFault } from "./node-http.ts";

const CONNECTIONS = 16;
/** Maximum number of calls that are running or waiting for a connection. Further calls would time out. */
const MAX_CALLS = 256;
/** How long a successful check of the node's network id stays valid. */
const NETWORK_CHECK_VALID_MS = 60_000;
/** How long a failed check stays valid. During this time, calls fail without a request to the node. */
const FAILED_CHECK_VALID_MS = 1_000;

const PATH_BY_SERVICE: Readonly<Record<string, string>> = { info: "/ext/info", health: "/ext/health" };

/** JSON-RPC client of the configured node. Error messages do not contain its address. */
export interface Upstream extends AsyncDisposable {
  /**
   * Returns the result of a method of `info` or `health`, uncached. Throws `NODE_REFUSED` with the node's redacted message if the node
   * returns an error; `UPSTREAM_FAILED` if the node does not answer in time, returns something else or belongs to another
   * network; and `UNAVAILABLE` if too many calls are running.
   */
  call(method: string, params?: object): Promise<unknown>;
}

export interface UpstreamOptions {
  /** Base URL, without `/ext`. */
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
  /** Network that the node must belong to. */
  readonly networkId: number;
  readonly requestTimeoutMs: number;
  readonly logger: Logger;
  /** Name of one of several nodes, for the log. */
  readonly name?: string;
  readonly watch?: Watch;
}

/** Runs a request and records its outcome. */
export type Watch = <Answer>(request: () => Promise<Answer>) => Promise<Answer>;

/** Opens no connection before the first call. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { nodeUrl, nodeHeaders, networkId, requestTimeoutMs, logger, name, watch = (run) => run() } = options;
  const http = createNodeHttp({ nodeUrl, nodeHeaders, connections: CONNECTIONS });
  const redact = createRedaction({ url: nodeUrl, headers: nodeHeaders });
  const checks = createAnswerCache();
  const outage = createOutageLog({
    logger,
    subject: "the upstream node",
    ids: { networkId, ...(name && { node: name }) },
  });
  let calls = 0;

  async function post(method: string, params: object): Promise<unknown> {
    if (calls >= MAX_CALLS)
      throw new Failure("UNAVAILABLE", `${MAX_CALLS} calls to the node are running already: try again later`);
    calls += 1;
    try {
      const path = PATH_BY_SERVICE[method.split(".")[0] ?? ""] ?? "";
      const body = { jsonrpc: "2.0", id: 1, method, params };
      const { status, text } = await watch(() => http.send(path, body, AbortSignal.timeout(requestTimeoutMs)));
      return resultOf({ method, status, text, redact });
    } catch (error) {
      throw error instanceof Failure ? error : unanswered(error, requestTimeoutMs);
    } finally {
      calls -= 1;
    }
  }

  async function checkNetwork(): Promise<true> {
    const answer = (await post("info.getNetworkID", {})) as { readonly networkID?: unknown } | null;
    const found = Number(answer?.networkID);
    if (found === networkId) return true;
    if (Number.isSafeInteger(found))
      throw new Failure(
        "UPSTREAM_FAILED",
        `the node belongs to network ${found}, but network ${networkId} is configured`,
      );
    throw new Failure("UPSTREAM_FAILED", "the node did not return its network id");
  }

  async function postChecked(method: string, params: object): Promise<unknown> {
    await checks.of("network", { freshMs: NETWORK_CHECK_VALID_MS, failedMs: FAILED_CHECK_VALID_MS }, checkNetwork);
    return post(method, params).catch((error: unknown) => {
      // After an outage, another node may answer at this address.
      if (isFailed(error)) checks.forget("network");
      throw error;
    });
  }

  function logFailure(error: unknown): void {
    if (isFailed(error)) outage.failed({}, [error.message, redact(detailOf(error))].filter(Boolean).join(": "));
    else if (error instanceof Failure && error.code === "NODE_REFUSED") outage.succeeded();
  }

  return {
    async call(method, params = {}) {
      try {
        const result = await postChecked(method, params);
        outage.succeeded();
        return result;
      } catch (error) {
        logFailure(error);
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

const isFailed = (error: unknown): error is Failure => error instanceof Failure && error.code === "UPSTREAM_FAILED";
const detailOf = ({ originalError }: Failure): string => (originalError ? messageOf(originalError) : "");

interface JsonRpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown } | null;
}

interface MethodAnswer extends HttpAnswer {
  readonly method: string;
  readonly redact: Redact;
}

function resultOf({ method, status, text, redact }: MethodAnswer): unknown {
  // A node returns errors with status 200; another status comes from a proxy, or from a node without this API.
  if (status !== 200)
    throw new Failure("UPSTREAM_FAILED", `the node answered HTTP ${status} to ${method}${hintFor(status)}`);
  const answer = parsed(method, text);
  if (typeof answer?.error?.message === "string") throw new Failure("NODE_REFUSED", redact(answer.error.message));
  if (typeof answer?.result === "object" && answer.result !== null) return answer.result;
  throw new Failure("UPSTREAM_FAILED", `the node answered ${method} with neither a result nor an error`);
}

function parsed(method: string, text: string): JsonRpcAnswer | null {
  // Integers that a number would round are texts, because any of them may be a claim of a peer.
  const answer = parseJsonExactly(text, String);
  if (answer === undefined)
    throw new Failure("UPSTREAM_FAILED", `the node answered ${method} with a body that is not JSON`);
  return typeof answer === "object" ? (answer as JsonRpcAnswer | null) : null;
}

/** The failure of a request without a response. It names only the kind of error: the error's message may contain the address. */
function unanswered(error: unknown, requestTimeoutMs: number): Failure {
  const { name, code } = Object(error) as { readonly name?: unknown; readonly code?: unknown };
  const late = name === "TimeoutError" ? `did not answer within ${requestTimeoutMs} ms` : null;
  const why = late ?? sizeFault(error) ?? `did not answer${typeof code === "string" ? ` (${code})` : ""}`;
  return new Failure("UPSTREAM_FAILED", `the node ${why}`, error);
}
