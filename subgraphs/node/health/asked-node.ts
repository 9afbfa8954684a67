import { Agent, request } from "undici";
import { Failure } from "../../../core/errors.ts";
import { goDuration } from "./go-text.ts";
import { type NodeHealth, parseNodeHealth } from "./node-health.ts";
import { withinLimit } from "./time-limit.ts";
import type { Traffic } from "./traffic.ts";

const MOST_BYTES = 16 << 20;
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

export interface AskedNodeDeps {
  /** What stands before `/ext`. */
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
  readonly timeLimitMs: number;
  readonly traffic: Traffic;
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export function createAskedNode({ nodeUrl, nodeHeaders, timeLimitMs, traffic }: AskedNodeDeps): AskedNode {
  const agent = new Agent({ maxResponseSize: MOST_BYTES });
  const base = nodeUrl.replace(/\/+$/, "");
  const late = failure(`did not answer within ${goDuration(BigInt(timeLimitMs) * 1_000_000n)}`);

  const send = (path: string, body: string | null): Promise<HttpAnswer> =>
    withinLimit<HttpAnswer>(
      async (signal) => {
        const headers = { ...nodeHeaders, ...(body === null ? {} : { "content-type": "application/json" }) };
        const options = { method: body === null ? "GET" : "POST", headers, body, dispatcher: agent, signal } as const;
        const response = await request(base + path, options).catch(unreachable);
        return { status: response.statusCode, text: await response.body.text().catch(unreachable) };
      },
      timeLimitMs,
      () => Promise.reject(late),
    );

  const call = async (method: string): Promise<Readonly<Record<string, unknown>> | null> => {
    const { status, text } = await send("/ext/info", JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} }));
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
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

const failure = (what: string): Failure => new Failure("UPSTREAM_FAILED", `the upstream node ${what}`);

function unreachable(error: unknown): never {
  const isTooLong = (Object(error) as { readonly code?: unknown }).code === "UND_ERR_RES_EXCEEDED_MAX_SIZE";
  const what = isTooLong ? `gave an answer of more than ${MOST_BYTES} bytes` : "cannot be reached";
  throw new Failure("UPSTREAM_FAILED", `the upstream node ${what}`, error);
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
