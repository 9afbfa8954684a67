import { text } from "node:stream/consumers";
import { recordedHealth } from "../recorded/recorded-health.ts";
import { type Listener, listen } from "./listen.ts";

/** A node with recorded health reports. Tests can change its fields at any time. */
export interface HealthNode extends Listener {
  /** Null: the path answers 404. */
  health: { readonly status: number; readonly text: string } | null;
  networkId: string;
  /** Null: the call fails. */
  numPeers: string | null;
  /** Headers of the last request. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** All requests in order: methods of calls and paths of GET requests. */
  readonly asked: readonly string[];
}

/** The first recorded answer of a file to `GET /ext/health` that is healthy, or unhealthy if `isHealthy` is false. */
export function recordedAnswer(file: string, isHealthy: boolean): { readonly status: number; readonly text: string } {
  const found = recordedHealth(file).find(({ path, healthy }) => path === "/ext/health" && healthy === isHealthy);
  if (!found) throw new Error(`no such answer in ${file}`);
  return found;
}

export async function startHealthNode(): Promise<HealthNode> {
  const asked: string[] = [];
  const results: Readonly<Record<string, () => object | null>> = {
    "info.getNetworkID": () => ({ networkID: node.networkId }),
    "info.peers": () => (node.numPeers === null ? null : { numPeers: node.numPeers, peers: [] }),
  };
  const listener = await listen(async (request, response) => {
    Object.assign(node, { headers: request.headers });
    const body = await text(request);
    if (request.method === "GET") {
      asked.push(request.url ?? "");
      const { status, text } = node.health ?? { status: 404, text: "404 page not found\n" };
      return void response.writeHead(status, { "content-type": "application/json" }).end(text);
    }
    const { method } = JSON.parse(body) as { method: string };
    asked.push(method);
    const result = results[method]?.() ?? null;
    const answer = result ? { result } : { error: { code: -32000, message: "not allowed", data: null } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", ...answer, id: 1 }));
  });
  const node: HealthNode = {
    ...listener,
    asked,
    headers: {},
    health: recordedAnswer("health-outage-2s", true),
    networkId: "12345",
    numPeers: "7",
  };
  return node;
}
