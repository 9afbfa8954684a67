import { Agent, request } from "undici";
import { errorCode } from "../../../core/errors/errors.ts";

const MAX_BYTES = 16 << 20;

/** A node's HTTP response, of any status. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** An HTTP client for one node. */
export interface NodeHttp extends AsyncDisposable {
  /** GETs a path, or POSTs a body to it as JSON. Rejects with undici's errors, whose messages contain the address. */
  send(path: string, body: object | null, signal: AbortSignal): Promise<HttpAnswer>;
}

export interface NodeHttpOptions {
  /** Base URL, without `/ext`. */
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
  /** Maximum number of connections. Default: no limit. */
  readonly connections?: number;
}

/** Opens no connection before the first request. */
export function createNodeHttp({ nodeUrl, nodeHeaders, connections }: NodeHttpOptions): NodeHttp {
  const dispatcher = new Agent({ connections: connections ?? null, maxResponseSize: MAX_BYTES });
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

/** Description of the failure if a response was too large; null for any other error. */
export function sizeFault(error: unknown): string | null {
  return errorCode(error) === "UND_ERR_RES_EXCEEDED_MAX_SIZE" ? `sent more than ${MAX_BYTES} bytes` : null;
}
