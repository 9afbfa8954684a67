import { Failure } from "../../../core/errors.ts";
import { createNodeHttp, type HttpAnswer, type NodeHttpOptions, tooLong } from "../node-http.ts";
import { goDuration } from "./go-text.ts";
import { type NodeHealth, parseNodeHealth } from "./node-health.ts";
import { withinLimit } from "./time-limit.ts";
import type { Traffic } from "./traffic.ts";

/** Answers of a server that does not offer its health. */
const NOT_OFFERED: ReadonlySet<number> = new Set([401, 403, 404, 405]);

/** The upstream node as the check `network` asks it: anew each time. Failures name no address. */
export interface AskedNode extends AsyncDisposable {
  /** Id of its network. */
  networkId(): Promise<string>;
  /** Its own health, be it healthy or not; null when it does not offer that. */
  health(): Promise<NodeHealth | null>;
  /** How many peers it says to have; 0 when it does not say. */
  peerCount(): Promise<number>;
}

export interface AskedNodeDeps extends Pick<NodeHttpOptions, "nodeUrl" | "nodeHeaders"> {
  readonly timeLimitMs: number;
  readonly traffic: Traffic;
}

export function createAskedNode({ nodeUrl, nodeHeaders, timeLimitMs, traffic }: AskedNodeDeps): AskedNode {
  const http = createNodeHttp({ nodeUrl, nodeHeaders });
  const late = failure(`did not answer within ${goDuration(BigInt(timeLimitMs) * 1_000_000n)}`);

  const send = (path: string, body: object | null): Promise<HttpAnswer> =>
    withinLimit<HttpAnswer>(
      (signal) => http.send(path, body, signal).catch(unreachable),
      timeLimitMs,
      () => Promise.reject(late),
    );

  const call = async (method: string): Promise<Readonly<Record<string, unknown>> | null> => {
    const { status, text } = await send("/ext/info", { jsonrpc: "2.0", id: 1, method, params: {} });
    if (status !== 200) throw failure(`answered ${method} with HTTP ${status}`);
    const answer = objectOf(parsed(text));
    if (answer && "error" in answer) return null;
    const result = objectOf(answer?.["result"]);
    if (!result) throw failure(`answered ${method} with something that is no result`);
    return result;
  };

  return {
    networkId: () =>
      traffic.watch(async () => {
        const id = (await call("info.getNetworkID"))?.["networkID"];
        if (typeof id === "string" || typeof id === "number") return String(id);
        throw failure("does not say of which network it is");
      }),
    health: () =>
      traffic.watch(async () => {
        const { status, text } = await send("/ext/health", null);
        if (NOT_OFFERED.has(status)) return null;
        const health = status === 200 || status === 503 ? parseNodeHealth(text) : null;
        if (health) return health;
        throw failure(`answered /ext/health with HTTP ${status} and something that is no health report`);
      }),
    peerCount: () =>
      traffic.watch(async () => {
        const count = Number((await call("info.peers"))?.["numPeers"] ?? 0);
        return Number.isSafeInteger(count) ? count : 0;
      }),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

const failure = (what: string): Failure => new Failure("UPSTREAM_FAILED", `the upstream node ${what}`);

function unreachable(error: unknown): never {
  throw new Failure("UPSTREAM_FAILED", `the upstream node ${tooLong(error) ?? "cannot be reached"}`, error);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null ? { ...value } : null;
}
