import type { IncomingMessage } from "node:http";
import type { Config } from "../../config/config-schema.ts";
import type { Network } from "../../config/settings/network.ts";
import { Failure } from "../../errors/errors.ts";
import type { RequestInfo } from "../../graph/graph-client.ts";
import { countRejection } from "../../observability/rejections.ts";
import type { Work } from "../../work/work.ts";
import type { WindowName } from "../rate-counters.ts";
import { type ApiKey, type ApiKeys, createApiKeys } from "./api-keys.ts";
import { createAddressReader } from "./client-address.ts";
import { createRequestedNetworks } from "./requested-networks.ts";

/** Compute units for each window; 0 if there is no limit. */
export type RateLimits = Readonly<Record<WindowName, number>>;

/** The limits of every caller without limits: always this object, because it is compared by identity. */
export const NO_LIMITS: RateLimits = { minute: 0, day: 0 };

function rateLimits(minute = 0, day = 0): RateLimits {
  return minute === 0 && day === 0 ? NO_LIMITS : { minute, day };
}

/** Who sends a request: the owner of an API key, or an IP address. */
export interface Caller {
  /**
   * Name under which usage is counted. It contains a hash of the API key, never the key itself; without a key, the address. Empty for a
   * caller without a key and without limits.
   */
  readonly id: string;
  readonly limits: RateLimits;
  /** Networks that the caller may read; null if all. */
  readonly networks: ReadonlySet<Network> | null;
  /** Null if the caller has no API key. */
  readonly apiKey: ApiKey | null;
}

export interface Callers {
  /**
   * Identifies the caller by API key, or by address if the request has no key. Throws `UNAUTHENTICATED` for an unknown key, or
   * `UNAVAILABLE` if the key cannot be checked. Such a request is charged to its address: the rate limit headers of the address are
   * appended to `headers`, and if its limit is used up, `RATE_LIMITED` is thrown instead.
   */
  byKey(request: IncomingMessage, headers?: string[]): Caller;
  /** The same for a WebSocket: the payload of `connection_init`, with names in lower case, takes precedence over the headers. */
  byInitPayload(payload: ReadonlyMap<string, unknown>, request: IncomingMessage): Caller;
  /**
   * Identifies the caller of a REST route with the base `metrics`, by address. API keys are ignored. These routes together have limits
   * of their own (`metricsComputeUnitsPerMinute`, `metricsComputeUnitsPerDay`).
   */
  onMetrics(request: IncomingMessage): Caller;
  /**
   * Returns `shareOf` the caller whom `byInitPayload` returns, or that of the address if this would throw. Charges nothing: the operations of
   * the connection are charged.
   */
  shareOfConnection(payload: ReadonlyMap<string, unknown>, request: IncomingMessage): string;
  /**
   * Returns the name under which a caller's running and waiting operations (`core/limits/admission`) and open connections are limited: the owner
   * of the API key, or the address. `caller` is null if the key is unknown or cannot be checked.
   */
  shareOf(caller: Caller | null, request: IncomingMessage): string;
  /** Throws `FORBIDDEN` if the caller may not read a network that the variables name. */
  requireNetwork(caller: Caller, variables: Readonly<Record<string, unknown>>): void;
}

export type CallersConfig = Pick<
  Config,
  | "apiKeys"
  | "computeUnitsPerDay"
  | "computeUnitsPerMinute"
  | "evmChains"
  | "keyHeaders"
  | "metricsComputeUnitsPerDay"
  | "metricsComputeUnitsPerMinute"
  | "primaryNetworks"
  | "proxyHops"
  | "trustProxy"
>;

export interface CallersOptions {
  /** Default: the API keys of the settings. */
  readonly apiKeys?: ApiKeys | undefined;
  /** Charges the address of a request whose key is not accepted, so that nobody can try many keys. Default: it costs nothing. */
  readonly charge?: (caller: Caller, units: number, headers: string[]) => Promise<void> | undefined;
}

/** Compute units of a request with an unknown key. */
const UNKNOWN_KEY_UNITS = 1;

export function createCallers(config: CallersConfig, options: CallersOptions = {}): Callers {
  const { apiKeys = createApiKeys(config), charge = () => undefined } = options;
  const requestedNetworks = createRequestedNetworks(config);
  const { computeUnitsPerMinute: perMinute, computeUnitsPerDay: perDay } = config;
  const { metricsComputeUnitsPerMinute = perMinute, metricsComputeUnitsPerDay = perDay } = config;
  const addressOf = createAddressReader(config);
  const onData = byAddress("address", addressOf, rateLimits(perMinute, perDay));
  const callerOf = createKeyOwners();
  const identify = (
    request: IncomingMessage,
    read: (name: string) => unknown,
    limitHeaders: string[],
  ): Caller | null => {
    try {
      const apiKey = apiKeys.identify(read);
      return apiKey && callerOf(apiKey);
    } catch (error) {
      // If the address has used up its limit, `charge` throws `RATE_LIMITED`, which replaces the error. If `charge` returns a promise,
      // it is not awaited, and its rejection is ignored.
      charge(onData(request), UNKNOWN_KEY_UNITS, limitHeaders)?.catch(() => {});
      if (error instanceof Failure && error.code === "UNAUTHENTICATED") countRejection("unauthenticated");
      throw error;
    }
  };
  const byKey = (request: IncomingMessage, limitHeaders: string[] = []): Caller => {
    const { headers } = request;
    return identify(request, (name) => headers[name], limitHeaders) ?? onData(request);
  };
  const shareOf = (caller: Caller | null, request: IncomingMessage): string =>
    (caller ?? onData(request)).id || addressOf(request);
  return {
    byKey,
    byInitPayload(payload, request) {
      return identify(request, (name) => payload.get(name), []) ?? byKey(request);
    },
    onMetrics: byAddress(
      "metrics address",
      addressOf,
      rateLimits(metricsComputeUnitsPerMinute, metricsComputeUnitsPerDay),
    ),
    shareOf,
    shareOfConnection(payload, request) {
      let apiKey: ApiKey | null = null;
      try {
        apiKey = apiKeys.identify((name) => payload.get(name)) ?? apiKeys.identify((name) => request.headers[name]);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
      return shareOf(apiKey && callerOf(apiKey), request);
    },
    requireNetwork({ networks }, variables) {
      if (!networks) return;
      for (const network of requestedNetworks(variables))
        if (!networks.has(network)) {
          countRejection("forbidden");
          throw new Failure("FORBIDDEN", `the API key is not valid for the network ${network}`);
        }
    },
  };
}

/** Callers without a key. The address is read only if they have a limit. */
function byAddress(name: string, addressOf: (request: IncomingMessage) => string, limits: RateLimits) {
  const unlimited: Caller = { id: "", limits, networks: null, apiKey: null };
  return (request: IncomingMessage): Caller =>
    limits === NO_LIMITS ? unlimited : { ...unlimited, id: `${name} ${addressOf(request)}` };
}

/** Makes one caller for each key. */
function createKeyOwners(): (apiKey: ApiKey) => Caller {
  const callers = new WeakMap<ApiKey, Caller>();
  return (apiKey) => {
    const known = callers.get(apiKey);
    if (known) return known;
    const { name, computeUnitsPerMinute, computeUnitsPerDay, networks } = apiKey;
    const caller: Caller = {
      id: `key ${name}`,
      limits: rateLimits(computeUnitsPerMinute, computeUnitsPerDay),
      networks: networks ? new Set(networks) : null,
      apiKey,
    };
    callers.set(apiKey, caller);
    return caller;
  };
}

/** Data of a request that is passed to the graph. */
export function requestInfo({ apiKey }: Caller, requestId: string, work: Work): RequestInfo {
  return apiKey ? { requestId, work, caller: apiKey.name, apiKey: apiKey.key } : { requestId, work };
}
