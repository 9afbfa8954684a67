import { request } from "undici";
import { createRedaction } from "../../../core/errors/redaction.ts";
import { parseJson } from "../../../core/formats/json.ts";
import { hintFor } from "../../../core/networks/http-hints.ts";
import { RpcError } from "./errors.ts";

const TIMEOUT_MS = 5_000;

/** URL and headers of a node. */
export interface AskedNode {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends one JSON-RPC call, without retries, and returns its result. Throws `RpcError` with the node's redacted message if the node answers
 * with an error, and another error if it gives no answer within five seconds.
 */
export async function askNode({ url, headers }: AskedNode, method: string, params: unknown): Promise<unknown> {
  const { statusCode, body } = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await body.text();
  const answer = parseJson(text);
  const { error, result } = Object(answer) as { readonly error?: unknown; readonly result?: unknown };
  if (error) throw new RpcError(Object(error).code, createRedaction({ url, headers })(String(Object(error).message)));
  if (result === undefined) throw new Error(`HTTP ${statusCode} without a JSON-RPC answer${hintFor(statusCode, text)}`);
  return result;
}
