import type { IncomingMessage } from "node:http";
import { type ApiKey, createApiKeys } from "../../core/api-keys.ts";
import type { Config } from "../../core/config-schema.ts";
import { Failure } from "../../core/errors.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import type { Network } from "../../core/settings/network.ts";
import { createRequestedNetworks } from "./requested-networks.ts";

/** Who sends a request: the owner of an API key, or an IP address. */
export interface Caller {
  /** Name under which usage is counted. It contains a hash of the key, never the key itself. */
  readonly id: string;
  /** 0 if the caller has no limit. */
  readonly unitsPerMinute: number;
  /** Networks that the caller may read; null if all. */
  readonly networks: ReadonlySet<Network> | null;
  /** Null if the caller has no API key. */
  readonly apiKey: ApiKey | null;
}

export interface Callers {
  /** Identifies the caller by API key, or by address if the request has no key. Throws `UNAUTHENTICATED` for an unknown key. */
  byKey(request: IncomingMessage): Caller;
  /** Identifies the caller of a metrics route, by address. API keys are ignored, and the route has a limit of its own. */
  onMetrics(request: IncomingMessage): Caller;
  /** Throws `FORBIDDEN` if the caller may not read a network that the variables name. */
  requireNetwork(caller: Caller, variables: Readonly<Record<string, unknown>>): void;
}

export type CallersConfig = Pick<
  Config,
  | "apiKeys"
  | "computeUnitsPerMinute"
  | "evmChains"
  | "keyHeaders"
  | "metricsComputeUnitsPerMinute"
  | "primaryNetworks"
  | "trustProxy"
>;

const UNLIMITED: Caller = { id: "", unitsPerMinute: 0, networks: null, apiKey: null };

export function createCallers(config: CallersConfig): Callers {
  const apiKeys = createApiKeys(config);
  const callers = new WeakMap<ApiKey, Caller>();
  const requestedNetworks = createRequestedNetworks(config);
  const byAddress = (name: string, unitsPerMinute: number) => (request: IncomingMessage) => {
    if (unitsPerMinute === 0) return UNLIMITED;
    return { id: `${name} ${addressOf(request, config.trustProxy)}`, unitsPerMinute, networks: null, apiKey: null };
  };
  const { computeUnitsPerMinute, metricsComputeUnitsPerMinute = computeUnitsPerMinute } = config;
  const onData = byAddress("address", computeUnitsPerMinute);
  return {
    onMetrics: byAddress("metrics address", metricsComputeUnitsPerMinute),
    byKey(request) {
      const { headers } = request;
      const apiKey = apiKeys.identify((name) => headers[name]);
      if (!apiKey) return onData(request);
      const caller = callers.get(apiKey) ?? callerOf(apiKey);
      callers.set(apiKey, caller);
      return caller;
    },
    requireNetwork({ networks }, variables) {
      if (!networks) return;
      for (const network of requestedNetworks(variables))
        if (!networks.has(network))
          throw new Failure("FORBIDDEN", `the API key is not valid for the network ${network}`);
    },
  };
}

/** Data of a request that is passed to the graph. */
export function requestInfo(
  { apiKey }: Caller,
  requestId: string,
  callerLeft?: RequestInfo["callerLeft"],
): RequestInfo {
  return apiKey ? { requestId, callerLeft, caller: apiKey.name, apiKey: apiKey.key } : { requestId, callerLeft };
}

function callerOf(apiKey: ApiKey): Caller {
  const { name, computeUnitsPerMinute, networks } = apiKey;
  return {
    id: `key ${name}`,
    unitsPerMinute: computeUnitsPerMinute ?? 0,
    networks: networks ? new Set(networks) : null,
    apiKey,
  };
}

/** Address of the client. In `x-forwarded-for` only the last entry was written by the trusted proxy. */
function addressOf(request: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(request.headers["x-forwarded-for"] ?? "") : "";
  const address = forwarded.slice(forwarded.lastIndexOf(",") + 1).trim() || (request.socket.remoteAddress ?? "");
  if (address.startsWith("::ffff:")) return address.slice("::ffff:".length);
  return address.includes(":") ? prefixOf(address) : address;
}

/** The first 64 bits of an IPv6 address: a single machine usually has all addresses of such a prefix. */
function prefixOf(address: string): string {
  const groups = (address.split("::")[0] as string).split(":").filter(Boolean);
  return `${[...groups, "0", "0", "0", "0"].slice(0, 4).join(":")}::/64`;
}
