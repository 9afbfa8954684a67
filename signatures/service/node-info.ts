import { z } from "zod";
import { messageOf } from "../../core/errors/errors.ts";
import type { NodeAddress } from "../p2p/peers/directory.ts";
import type { ClientVersion } from "../p2p/wire/handshake.ts";

/** What a node says of itself and its peers. All functions reject if the node does not answer, with the reason in words. */
export interface NodeInfo {
  /** `info.getNodeVersion`. */
  version(): Promise<ClientVersion>;
  /** The addresses that the node knows of some nodes: `info.peers`. */
  peers(nodeIds: readonly string[]): Promise<NodeAddress[]>;
}

export interface NodeInfoOptions {
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;

const envelope = z.object({ result: z.unknown(), error: z.object({ message: z.string() }).optional() });
const versionAnswer = z.object({ version: z.string() });
const peersAnswer = z.object({
  peers: z.array(z.object({ nodeID: z.string(), ip: z.string(), publicIP: z.string().optional() })).nullable(),
});

export function createNodeInfo({ nodeUrl, nodeHeaders, timeoutMs = TIMEOUT_MS }: NodeInfoOptions): NodeInfo {
  const url = `${nodeUrl.replace(/\/+$/, "")}/ext/info`;
  const call = async (method: string, params: unknown): Promise<unknown> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...nodeHeaders },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { result, error } = envelope.parse(await response.json());
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return {
    async version() {
      const { version } = versionAnswer.parse(await call("info.getNodeVersion", {}));
      const parsed = parseVersion(version);
      if (!parsed) throw new Error(`info.getNodeVersion: the version is ${JSON.stringify(version)}`);
      return parsed;
    },
    async peers(nodeIds) {
      const { peers } = peersAnswer.parse(await call("info.peers", { nodeIDs: nodeIds }));
      // `ip` of a peer that has connected to the node has a port that nobody listens on.
      return (peers ?? []).flatMap(({ nodeID, ip, publicIP }) => {
        const address = parseAddress(publicIP || ip);
        return address ? [{ nodeId: nodeID, ...address }] : [];
      });
    },
  };
}

/** Reads a version such as `avalanchego/1.14.2`; null if the text has another form. */
export function parseVersion(text: string): ClientVersion | null {
  const [, name, major, minor, patch] = /^([\w-]+)\/v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? [];
  if (name === undefined) return null;
  return { name, major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** Reads `127.0.0.1:9651` or `[::1]:9651`; null if the port is not from 1 to 65535. */
function parseAddress(text: string): { readonly host: string; readonly port: number } | null {
  const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return null;
  return { host, port: Number(port) };
}

/** Why a call failed, in words. `fetch` hides the reason in the cause. */
export function reasonOfCall(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return messageOf(cause);
}
