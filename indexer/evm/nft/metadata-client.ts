import { PassThrough, type Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, type Dispatcher } from "undici";
import type { Config } from "../../../core/config-schema.ts";
import { messageOf } from "../../../core/errors.ts";
import { linkedController } from "../../shared/node/linked-controller.ts";
import { createConnector, hostKey, type Reach } from "./address-policy.ts";
import { type Content, charsetOf } from "./data-uri.ts";
import { createHosts, type Hosts } from "./host-backoff.ts";
import { DAY_SECONDS, Missed } from "./statuses.ts";

/** Fetches what token URIs lead to. */
export interface MetadataClient extends AsyncDisposable {
  /** Content at a URL that a stranger wrote, or of the gateway. Throws `Missed`; the reason of `signal` once that is aborted. */
  read(url: URL, isGateway: boolean): Promise<Content>;
}

export interface MetadataClientOptions
  extends Pick<Config["nftMetadata"], "requestTimeoutMs" | "maxBytes" | "maxRedirects" | "maxConcurrency"> {
  readonly reach: Reach;
  readonly signal: AbortSignal;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const TOO_MANY_REQUESTS = 429;
const UNCONNECTED_REST_SECONDS = 60;
const HEADERS = {
  "user-agent": "moraine",
  accept: "application/json, text/plain;q=0.9, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
};
const DECODERS = new Map<string, () => Transform>([
  ["identity", () => new PassThrough()],
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Opens nothing before the first URL. Sends no credentials, keeps no cookies, and knows of no proxy. */
export function createMetadataClient(options: MetadataClientOptions): MetadataClient {
  const web = wayOf(options, options.reach, hostOf);
  // The operator chose the gateway: it may be anywhere. Where it redirects to may not.
  const gateway = wayOf(options, null, contentHostOf);
  return {
    async read(url, isGateway) {
      using limited = linkedController(options.signal);
      const late = new Missed("UNREACHABLE_TOKEN_URI", `no answer within ${options.requestTimeoutMs} ms`);
      const look: Look = { options, web, signal: limited.signal, asked: null };
      const timer = setTimeout(() => {
        look.asked?.late();
        limited.abort(late);
      }, options.requestTimeoutMs);
      try {
        const content = follow(look, url, isGateway ? gateway : web);
        // A request that waits for its connection does not hear the signal.
        return await Promise.race([content, aborted(limited.signal)]);
      } catch (error) {
        options.signal.throwIfAborted();
        throw error instanceof Missed ? error : new Missed("UNREACHABLE_TOKEN_URI", messageOf(error));
      } finally {
        clearTimeout(timer);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([web.agent.destroy(), gateway.agent.destroy()]);
    },
  };
}

/** A way of asking hosts. What is found out of a host on one way says nothing of it on another. */
interface Way {
  readonly agent: Dispatcher;
  readonly hosts: Hosts;
  /** What is to blame for an answer that takes too long. */
  readonly slowOf: (url: URL) => string;
}

function wayOf(
  { requestTimeoutMs, maxConcurrency }: MetadataClientOptions,
  reach: Reach | null,
  slowOf: Way["slowOf"],
): Way {
  const hosts = createHosts();
  const onFailure = (host: string) => hosts.rest(host, "UNREACHABLE_TOKEN_URI", UNCONNECTED_REST_SECONDS);
  const agent = new Agent({
    connections: maxConcurrency,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: createConnector(reach, { timeoutMs: Math.ceil(requestTimeoutMs / 2), onFailure }),
  });
  return { agent, hosts, slowOf };
}

interface Look {
  readonly options: MetadataClientOptions;
  /** For where redirects lead. */
  readonly web: Way;
  readonly signal: AbortSignal;
  /** What is being asked. */
  asked: { late(): void; inTime(): void } | null;
}

async function follow(look: Look, first: URL, firstWay: Way): Promise<Content> {
  const { web, signal, options } = look;
  let [url, way] = [first, firstWay];
  for (let redirects = 0; ; redirects++) {
    const { agent, hosts } = way;
    const [host, slow] = [hostOf(url), way.slowOf(url)];
    hosts.require(host);
    hosts.require(slow);
    look.asked = { late: () => hosts.late(slow), inTime: () => hosts.inTime(slow) };
    // By parts: no user and no password of the URL gets in.
    const path = url.pathname + url.search;
    const response = await agent.request({ origin: url.origin, path, method: "GET", headers: HEADERS, signal });
    const isFound = response.statusCode >= 200 && response.statusCode < 300;
    const content = isFound ? await contentOf(response, options.maxBytes, signal) : null;
    const isRedirect = REDIRECTS.has(response.statusCode);
    if (!isRedirect) look.asked.inTime();
    if (content) return content;
    discard(response.body);
    if (!isRedirect) throw refusal(response, host, hosts);
    if (redirects === options.maxRedirects)
      throw new Missed("UNREACHABLE_TOKEN_URI", `more than ${redirects} redirects`);
    [url, way] = [redirected(url, response.headers["location"]), web];
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

/** The content behind a gateway: the gateway is as slow as whoever holds that. */
function contentHostOf(url: URL): string {
  const [cid = ""] = /\/ipfs\/[^/]+/.exec(url.pathname) ?? [];
  return hostOf(url) + cid;
}

function redirected(from: URL, location: string | string[] | undefined): URL {
  const text = String(location);
  const url = URL.canParse(text, from) ? new URL(text, from) : null;
  if (location === undefined || url?.protocol !== "https:")
    throw new Missed("UNREACHABLE_TOKEN_URI", "a redirect to something other than https:");
  return url;
}

function refusal({ statusCode, headers }: Dispatcher.ResponseData, host: string, hosts: Hosts): Missed {
  const retryAfter = retryAfterSeconds(headers["retry-after"]);
  const isThrottled = statusCode === TOO_MANY_REQUESTS;
  const status = isThrottled ? "THROTTLED_TOKEN_URI" : "UNREACHABLE_TOKEN_URI";
  if (isThrottled) hosts.rest(host, status, Math.max(UNCONNECTED_REST_SECONDS, retryAfter));
  return new Missed(status, `HTTP ${statusCode}`, retryAfter);
}

/** Of seconds or of an HTTP date, up to a day; 0 without one. */
function retryAfterSeconds(header: string | string[] | undefined): number {
  const seconds = Number(header);
  const wanted = Number.isNaN(seconds) ? (Date.parse(String(header)) - Date.now()) / 1_000 : seconds;
  return Number.isFinite(wanted) ? Math.min(DAY_SECONDS, Math.max(0, Math.ceil(wanted))) : 0;
}

/** Ends the connection instead of reading to an end that may never come. */
function discard(body: Readable): void {
  body.on("error", () => {}).destroy();
}

async function contentOf(response: Dispatcher.ResponseData, maxBytes: number, signal: AbortSignal): Promise<Content> {
  const { body, headers } = response;
  const charset = charsetOf(String(headers["content-type"] ?? ""));
  const encoding = String(headers["content-encoding"] || "identity");
  const decoder = DECODERS.get(encoding.trim().toLowerCase());
  const unreadable = decoder ? null : new Missed("UNREACHABLE_TOKEN_URI", "an unknown content-encoding");
  const refused = Number(headers["content-length"]) > maxBytes ? tooLarge(maxBytes) : unreadable;
  if (refused || !decoder) {
    discard(body);
    throw refused;
  }
  const chunks: Uint8Array[] = [];
  const keep = async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) chunks.push(chunk);
  };
  // Limited on both sides: a few bytes may become many, and many may become none.
  await pipeline(body, limited(maxBytes), decoder(), limited(maxBytes), keep, { signal });
  return { bytes: Buffer.concat(chunks), charset };
}

function limited(maxBytes: number) {
  return async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  };
}

const tooLarge = (maxBytes: number): Missed =>
  new Missed("METADATA_CONTENT_TOO_LARGE", `the content has more than ${maxBytes} bytes`);
