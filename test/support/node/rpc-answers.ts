/** A node's answer to one call, parsed. */
export type RpcAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

export type Params = readonly unknown[];

export type Json = Record<string, unknown>;

/** Height of the block that an answer concerns, taken from the answer, else from the parameters. */
export function heightOf(method: string, params: Params, answer: RpcAnswer): number | undefined {
  const result = "result" in answer ? answer.result : null;
  const subject = Array.isArray(result) ? result[0] : result;
  const own = isJson(subject) ? (subject["number"] ?? subject["blockNumber"]) : undefined;
  const asked = STATE_METHODS.includes(method) ? params[1] : params[0];
  const height = isHex(own) ? own : asked;
  return isHex(height) && height.length < 20 ? Number(height) : undefined;
}

const STATE_METHODS = ["eth_call", "eth_getBalance", "eth_getCode", "eth_getTransactionCount", "eth_getStorageAt"];

/** The logs of a receipt. */
export function logsIn(receipt: Json): Json[] {
  return Array.isArray(receipt["logs"]) ? receipt["logs"] : [];
}

/** The list in an answer; empty if it is not a list. */
export function listOf(answer: RpcAnswer): Json[] {
  return "result" in answer && Array.isArray(answer.result) ? answer.result : [];
}

/** True for a JSON object. */
export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a quantity, hash or address. */
export function isHex(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("0x");
}

/** A number as a JSON-RPC quantity. */
export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

/** An answer with this error. */
export function failure(code: number, message: string): RpcAnswer {
  return { error: { code, message } };
}
