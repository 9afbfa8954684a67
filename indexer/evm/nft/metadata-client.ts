import { Agent, type Dispatcher } from "undici";
import { linkedController } from "../../../core/async/linked-controller.ts";
import type { Config } from "../../../core/config/config-schema.ts";
import { messageOf } from "../../../core/errors/errors.ts";
import { retryAfterMs } from "../../shared/retry-after.ts";
import { type AddressPolicy, createConnector, hostKey } from "./address-policy.ts";
import type { Content } from "./data-uri.ts";
import { createHostBackoff, type HostBackoff } from "./host-backoff.ts";
import { discard, readContent } from "./response-content.ts";
import { DAY_SECONDS, MetadataUnavailable } from "./statuses.ts";

/** Fetches the content of token URIs. */
export interface MetadataClient extends AsyncDisposable {
  /**
   * Content of a URL from a token URI, or, if `isGateway`, of a URL of the operator's IPFS gateway. Throws
   * `MetadataUnavailable`, or the reason of `signal` once that is aborted.
   */
  read(url: URL, isGateway: boolean): Promise<Content>;
}

export interface MetadataClientOptions
  extends Pick<Config["nftMetadata"], "requestTimeoutMs" | "maxBytes" | "maxRedirects" | "maxConcurrency"> {
  readonly addressPolicy: AddressPolicy;
  readonly signal: AbortSignal;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const TOO_MANY_REQUESTS = 429;
const MIN_BACKOFF_SECONDS = 60;
const HEADERS = {
  "user-agent": "moraine",
  accept: "application/json, text/plain;q=0.9, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
};

/** Opens no connection before the first read. Sends no credentials or cookies, and ignores proxies of the environment. */
export function createMetadataClient(options: MetadataClientOptions): MetadataClient {
  const web = createRoute(options, options.addressPolicy, hostOf);
  // The operator chose the gateway, so any address is allowed; its redirects follow the policy again.
  const gateway = createRoute(options, null, gatewayContentOf);
  return {
    async read(url, isGateway) {
      using limited = linkedController(options.signal);
      const timeout = new MetadataUnavailable(
        "UNREACHABLE_TOKEN_URI",
        `no answer within ${options.requestTimeoutMs} ms`,
      );
      const fetching: Fetching = { options, web, signal: limited.signal, onTimeout: null };
      const timer = setTimeout(() => {
        fetching.onTimeout?.();
        limited.abort(timeout);
      }, options.requestTimeoutMs);
      try {
        const content = followRedirects(fetching, url, isGateway ? gateway : web);
        // A request that waits for its connection ignores the signal.
        return await Promise.race([content, aborted(limited.signal)]);
      } catch (error) {
        options.signal.throwIfAborted();
        throw error instanceof MetadataUnavailable
          ? error
          : new MetadataUnavailable("UNREACHABLE_TOKEN_URI", messageOf(error));
      } finally {
        clearTimeout(timer);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([web.agent.destroy(), gateway.agent.destroy()]);
    },
  };
}

/** Connections under one address policy. Each route has its own failures: a host may work on one and not on the other. */
interface Route {
  readonly agent: Dispatcher;
  readonly hosts: HostBackoff;
  /** Key by which timeouts are counted and requests pause: the host; behind the gateway, the host and the CID. */
  readonly timeoutKeyOf: (url: URL) => string;
}

function createRoute(
  { requestTimeoutMs, maxConcurrency }: MetadataClientOptions,
  policy: AddressPolicy | null,
  timeoutKeyOf: Route["timeoutKeyOf"],
): Route {
  const hosts = createHostBackoff();
  const onFailure = (host: string) => hosts.backOff(host, "UNREACHABLE_TOKEN_URI", MIN_BACKOFF_SECONDS);
  const agent = new Agent({
    connections: maxConcurrency,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: createConnector(policy, { timeoutMs: Math.ceil(requestTimeoutMs / 2), onFailure }),
  });
  return { agent, hosts, timeoutKeyOf };
}

interface Fetching {
  readonly options: MetadataClientOptions;
  /** For the targets of redirects. */
  readonly web: Route;
  readonly signal: AbortSignal;
  /** Records a timeout of the current request; null before the first. */
  onTimeout: (() => void) | null;
}

async function followRedirects(fetching: Fetching, first: URL, firstRoute: Route): Promise<Content> {
  const { web, signal, options } = fetching;
  let url = first;
  let route = firstRoute;
  for (let redirects = 0; ; redirects++) {
    const { agent, hosts } = route;
    const host = hostOf(url);
    const timeoutKey = route.timeoutKeyOf(url);
    hosts.requireAvailable(host);
    hosts.requireAvailable(timeoutKey);
    fetching.onTimeout = () => hosts.timedOut(timeoutKey);
    // Built from parts, so that user and password of the URL are not sent.
    const path = url.pathname + url.search;
    const response = await agent.request({ origin: url.origin, path, method: "GET", headers: HEADERS, signal });
    const isSuccess = response.statusCode >= 200 && response.statusCode < 300;
    const content = isSuccess ? await readContent(response, options.maxBytes, signal) : null;
    const isRedirect = REDIRECTS.has(response.statusCode);
    if (!isRedirect) hosts.answered(timeoutKey);
    if (content) return content;
    discard(response.body);
    if (!isRedirect) throw httpFailure(response, host, hosts);
    if (redirects === options.maxRedirects)
      throw new MetadataUnavailable("UNREACHABLE_TOKEN_URI", `more than ${redirects} redirects`);
    url = redirectTarget(url, response.headers["location"]);
    route = web;
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function hostOf({ hostname, port, protocol }: URL): string {
  return hostKey(hostname.replace(/^\[|\]$/g, ""), Number(port || (protocol === "https:" ? 443 : 80)));
}

/** The gateway's host and the CID: a gateway is as slow as the peers that have the content. */
function gatewayContentOf(url: URL): string {
  const [cid = ""] = /\/ipfs\/[^/]+/.exec(url.pathname) ?? [];
  return hostOf(url) + cid;
}

function redirectTarget(from: URL, location: string | string[] | undefined): URL {
  const text = String(location);
  const url = URL.canParse(text, from) ? new URL(text, from) : null;
  if (location === undefined || url?.protocol !== "https:")
    throw new MetadataUnavailable("UNREACHABLE_TOKEN_URI", "a redirect without a valid https: URL");
  return url;
}

function httpFailure(
  { statusCode, headers }: Dispatcher.ResponseData,
  host: string,
  hosts: HostBackoff,
): MetadataUnavailable {
  const retryAfter = retryAfterSeconds(headers["retry-after"]);
  const isThrottled = statusCode === TOO_MANY_REQUESTS;
  const status = isThrottled ? "THROTTLED_TOKEN_URI" : "UNREACHABLE_TOKEN_URI";
  if (isThrottled) hosts.backOff(host, status, Math.max(MIN_BACKOFF_SECONDS, retryAfter));
  return new MetadataUnavailable(status, `HTTP ${statusCode}`, retryAfter);
}

/** Seconds of a `retry-after` header, given as seconds or a date, up to a day; 0 without one. */
function retryAfterSeconds(header: string | string[] | undefined): number {
  const ms = retryAfterMs(header);
  return ms === null ? 0 : Math.min(DAY_SECONDS, Math.max(0, Math.ceil(ms / 1_000)));
}
