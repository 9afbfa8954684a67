/** What a node said to one call, parsed. */
export type RpcAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

export type Params = readonly unknown[];

export type Json = Record<string, unknown>;

/** Height of the block that an answer is about, by what it says of itself or else by what was asked. */
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

/** The list that an answer is; empty when it is none. */
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

/** A quantity as nodes write it. */
export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

/** The answer that is that error. */
export function failure(code: number, message: string): RpcAnswer {
  return { error: { code, message } };
}
