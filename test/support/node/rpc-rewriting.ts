import { elementsOf, membersOf } from "../../../recordings/json-text.ts";
import type { Fault } from "./faults.ts";
import type { Params, RpcAnswer } from "./rpc-answers.ts";

/** One call of a request; `id` is the JSON text of its id. */
export interface WireCall {
  readonly id: string | undefined;
  readonly method: string;
  readonly params: Params;
  readonly text: string;
}

/** The calls in a request body, which may be a batch; empty if the body is not JSON-RPC. */
export function callsIn(body: string): WireCall[] {
  try {
    const texts = Array.isArray(JSON.parse(body)) ? elementsOf(body) : [body];
    return texts.map(callOf).filter(({ method }) => method !== "");
  } catch {
    return [];
  }
}

/** The request body to send to the node instead. */
export function asked(body: string, calls: readonly WireCall[], faults: readonly Fault[]): string {
  if (!faults.some(({ ask }) => ask)) return body;
  const texts = calls.map((call) => {
    const params = faults.reduce((now, { ask }) => ask?.(call.method, now) ?? now, call.params);
    return JSON.stringify({ ...JSON.parse(call.text), params });
  });
  return isBatch(body) ? `[${texts.join()}]` : (texts[0] ?? body);
}

/** The node's response body with changed answers; unchanged answers keep their text. */
export function answered(body: string, calls: readonly WireCall[], faults: readonly Fault[], path: string): string {
  if (faults.length === 0 || calls.length === 0) return body;
  const rewritten = (text: string): string => {
    const id = membersOf(text).get("id");
    const call = calls.find((one) => one.id === id);
    return call ? lied(text, call, faults, path) : text;
  };
  return isBatch(body) ? `[${elementsOf(body).map(rewritten).join()}]` : rewritten(body);
}

/** True for a JSON array. */
export function isBatch(body: string): boolean {
  return body.trimStart().startsWith("[");
}

function lied(text: string, { id, method, params }: WireCall, faults: readonly Fault[], path: string): string {
  const right: RpcAnswer = JSON.parse(text);
  const wrong = faults.reduce((now, fault) => fault.answer(method, params, now, path), right);
  if (wrong === right) return text;
  const [member, value] = "error" in wrong ? ["error", wrong.error] : ["result", wrong.result];
  return `{"jsonrpc":"2.0","id":${id},"${member}":${JSON.stringify(value)}}`;
}

function callOf(text: string): WireCall {
  const { method, params } = JSON.parse(text) as { method?: unknown; params?: unknown };
  return {
    id: membersOf(text).get("id"),
    method: typeof method === "string" ? method : "",
    params: Array.isArray(params) ? params : params === undefined ? [] : [params],
    text,
  };
}
