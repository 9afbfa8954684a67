import { request } from "undici";

const TIMEOUT_MS = 5_000;

/** Where to ask a node. */
export interface AskedNode {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The node answered with a JSON-RPC error. */
export class NodeRefused extends Error {
  constructor(
    message: string,
    readonly code: unknown,
  ) {
    super(message);
  }

  /** True if the URL leads to a JSON-RPC server without that method. */
  get isUnknownMethod(): boolean {
    return (
      this.code === -32601 ||
      /^rpc: (can't find (service|method)|service\/method request ill-formed)/.test(this.message)
    );
  }
}

/** Sends one JSON-RPC call, once, and returns its result. Throws `NodeRefused`, or another error if there is no answer. */
export async function askNode({ url, headers }: AskedNode, method: string, params: unknown): Promise<unknown> {
  const { statusCode, body } = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer: unknown = await body.json().catch(() => null);
  const { error, result } = Object(answer) as { readonly error?: unknown; readonly result?: unknown };
  if (error) throw new NodeRefused(String(Object(error).message), Object(error).code);
  if (result === undefined) throw new Error(`HTTP ${statusCode} without a JSON-RPC answer`);
  return result;
}
