import { Failure } from "../../../../core/errors/errors.ts";
import { createRedaction } from "../../../../core/errors/redaction.ts";
import { parseJson } from "../../../../core/formats/json.ts";
import { hintFor } from "../../../../core/networks/http-hints.ts";
import { createNodeHttp, type HttpAnswer, type NodeHttpOptions, sizeFault } from "../../upstream/node-http.ts";
import { goDuration } from "../runner/go-format.ts";
import { withinLimit } from "../runner/time-limit.ts";
import { type NodeHealth, parseNodeHealth } from "./node-report.ts";
import type { RequestStatistics } from "./request-statistics.ts";

/** Statuses of a server that does not serve the Health API. */
const NOT_OFFERED: ReadonlySet<number> = new Set([401, 403, 404, 405]);

/**
 * Client of the upstream node for the check `network`. Nothing is cached. Each method throws `UPSTREAM_FAILED` if the node
 * does not answer in time or sends an invalid answer. Error messages do not contain the node's address.
 */
export interface HealthClient extends AsyncDisposable {
  /** Network id of the node. */
  networkId(): Promise<string>;
  /** The node's own health report, healthy or not. Null if the node does not serve it. */
  health(): Promise<NodeHealth | null>;
  /** Number of the node's peers; 0 if the answer does not contain the number. */
  peerCount(): Promise<number>;
}

export interface HealthClientDeps extends Pick<NodeHttpOptions, "nodeUrl" | "nodeHeaders"> {
  readonly timeLimitMs: number;
  readonly requests: RequestStatistics;
}

export function createHealthClient({ nodeUrl, nodeHeaders, timeLimitMs, requests }: HealthClientDeps): HealthClient {
  const http = createNodeHttp({ nodeUrl, nodeHeaders });
  const redact = createRedaction({ url: nodeUrl, headers: nodeHeaders });
  const late = failure(`did not answer within ${goDuration(BigInt(timeLimitMs) * 1_000_000n)}`);

  const send = (path: string, body: object | null): Promise<HttpAnswer> =>
    withinLimit<HttpAnswer>(
      (signal) => http.send(path, body, signal).catch(unreachable),
      timeLimitMs,
      () => Promise.reject(late),
    );

  const call = async (method: string): Promise<Readonly<Record<string, unknown>> | null> => {
    const { status, text } = await send("/ext/info", { jsonrpc: "2.0", id: 1, method, params: {} });
    if (status !== 200) throw failure(`answered ${method} with HTTP ${status}${hintFor(status)}`);
    const answer = objectOf(parseJson(text));
    if (answer && "error" in answer) return null;
    const result = objectOf(answer?.["result"]);
    if (!result) throw failure(`answered ${method} without a result`);
    return result;
  };

  return {
    networkId: () =>
      requests.record(async () => {
        const id = (await call("info.getNetworkID"))?.["networkID"];
        if (typeof id === "string" || typeof id === "number") return String(id);
        throw failure("did not return its network id");
      }),
    health: () =>
      requests.record(async () => {
        const { status, text } = await send("/ext/health", null);
        if (NOT_OFFERED.has(status)) return null;
        const health = status === 200 || status === 503 ? parseNodeHealth(text, redact) : null;
        if (health) return health;
        throw failure(`answered /ext/health with HTTP ${status} and no health report`);
      }),
    peerCount: () =>
      requests.record(async () => {
        const count = Number((await call("info.peers"))?.["numPeers"] ?? 0);
        return Number.isSafeInteger(count) ? count : 0;
      }),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

const failure = (what: string): Failure => new Failure("UPSTREAM_FAILED", `the upstream node ${what}`);

function unreachable(error: unknown): never {
  throw new Failure("UPSTREAM_FAILED", `the upstream node ${sizeFault(error) ?? "cannot be reached"}`, error);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null ? { ...value } : null;
}
