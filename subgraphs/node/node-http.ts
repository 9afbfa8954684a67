import { Agent, request } from "undici";

const MOST_BYTES = 16 << 20;

/** What a node answers to one request, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** The way to a node. */
export interface NodeHttp extends AsyncDisposable {
  /** GETs a path, or POSTs a body to it as JSON. Rejects with undici's errors, which name the address. */
  send(path: string, body: object | null, signal: AbortSignal): Promise<HttpAnswer>;
}

export interface NodeHttpOptions {
  /** What stands before `/ext`. */
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
  /** Most connections at once. Default: no limit. */
  readonly connections?: number;
}

/** Opens nothing before the first request. */
export function createNodeHttp({ nodeUrl, nodeHeaders, connections }: NodeHttpOptions): NodeHttp {
  const dispatcher = new Agent({ connections: connections ?? null, maxResponseSize: MOST_BYTES });
  const base = nodeUrl.replace(/\/+$/, "");
  return {
    async send(path, body, signal) {
      const sent =
        body === null
          ? ({ method: "GET", headers: nodeHeaders } as const)
          : ({
              method: "POST",
              headers: { "content-type": "application/json", ...nodeHeaders },
              body: JSON.stringify(body),
            } as const);
      const response = await request(base + path, { ...sent, dispatcher, signal });
      return { status: response.statusCode, text: await response.body.text() };
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

/** What is wrong with an answer that was too long; null of another failure. */
export function tooLong(error: unknown): string | null {
  const { code } = Object(error) as { readonly code?: unknown };
  return code === "UND_ERR_RES_EXCEEDED_MAX_SIZE" ? `gave an answer of more than ${MOST_BYTES} bytes` : null;
}
