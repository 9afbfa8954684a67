import { isObject } from "../../core/formats/json.ts";
import { type Answer, NULL, notRecorded, Refusal, resultOf } from "../answers.ts";
import { elementsOf, membersOf } from "../json-text.ts";
import { type EvmCall, hashAt, heightAt, heightOrHashAt, visibleBlock } from "./evm-call.ts";
import { hexOf } from "./evm-chain.ts";

/** `eth_getBlockByNumber`. A number above the head is an error, as on Avalanche nodes. */
export function blockByNumber(call: EvmCall): Answer {
  return block(call, heightAt(call, 0));
}

/** `eth_getBlockByHash`. Null for a block that is unknown or above the head. */
export function blockByHash(call: EvmCall): Answer {
  const height = visibleBlock(call, hashAt(call, 0));
  return height === undefined ? NULL : block(call, height);
}

/** `eth_getBlockReceipts`. Null for a block that is unknown or above the head, also by number. */
export function blockReceipts(call: EvmCall): Answer {
  try {
    return recordedAt(call, heightOrHashAt(call, 0), "eth_getBlockReceipts");
  } catch (error) {
    if (error instanceof Refusal && error.code === -32000) return NULL;
    throw error;
  }
}

/** `eth_getTransactionReceipt`. Null for a transaction that is unknown or above the head. */
export function transactionReceipt(call: EvmCall): Answer {
  const hash = hashAt(call, 0);
  const position = call.chain.positionOfTransaction(hash);
  if (!position || position.height > call.head) return NULL;
  return call.chain.recorded("eth_getTransactionReceipt", [hash]) ?? NULL;
}

/** `eth_getTransactionByHash`, as recorded or extracted from its block. Null for one that is unknown or above the head. */
export function transactionByHash(call: EvmCall): Answer {
  const hash = hashAt(call, 0);
  const position = call.chain.positionOfTransaction(hash);
  if (!position || position.height > call.head) return NULL;
  const known = call.chain.recorded("eth_getTransactionByHash", [hash]);
  return known ?? resultOf(transactionsOf(fullBlock(call, position.height).text)[position.index] ?? "null");
}

/** `debug_traceBlockByNumber` with callTracer, with or without logs. Other options are not recorded. */
export function traceByNumber(call: EvmCall): Answer {
  return trace(call, heightAt(call, 0));
}

/** `debug_traceBlockByHash`, from the trace recorded by number. */
export function traceByHash(call: EvmCall): Answer {
  const hash = hashAt(call, 0);
  const height = visibleBlock(call, hash);
  if (height === undefined) throw new Refusal(-32000, `block ${hash.toLowerCase()} not found`);
  return trace(call, height);
}

function trace(call: EvmCall, height: number): Answer {
  const options = isObject(call.params[1]) ? call.params[1] : {};
  const config = isObject(options["tracerConfig"]) ? options["tracerConfig"] : {};
  const tracer = config["withLog"] === true ? { ...WITH_LOG, ...CALL_TRACER } : CALL_TRACER;
  const isRecorded = options["tracer"] === "callTracer" && config["onlyTopCall"] !== true;
  if (!isRecorded) throw notRecorded("debug_traceBlockByNumber", call.params);
  return recordedAt(call, height, "debug_traceBlockByNumber", tracer);
}

const CALL_TRACER = { tracer: "callTracer" };
const WITH_LOG = { tracerConfig: { withLog: true } };

function block(call: EvmCall, height: number): Answer {
  const isFull = call.params[1];
  if (isFull === undefined) throw new Refusal(-32602, "missing value for required argument 1");
  if (typeof isFull !== "boolean") {
    throw new Refusal(-32602, "invalid argument 1: json: cannot unmarshal non-boolean into Go value of type bool");
  }
  const full = fullBlock(call, height);
  return isFull ? full : resultOf(withHashesOnly(full.text));
}

function fullBlock(call: EvmCall, height: number): Answer {
  return recordedAt(call, height, "eth_getBlockByNumber", true);
}

function recordedAt({ chain }: EvmCall, height: number, method: string, ...more: unknown[]): Answer {
  const params = [hexOf(height), ...more];
  const answer = chain.recorded(method, params);
  if (!answer) throw notRecorded(method, params);
  return answer;
}

function transactionsOf(blockText: string): string[] {
  return elementsOf(membersOf(blockText).get("transactions") ?? "[]");
}

function withHashesOnly(blockText: string): string {
  const full = membersOf(blockText).get("transactions") ?? "[]";
  const hashes = elementsOf(full).map((transaction) => membersOf(transaction).get("hash"));
  return blockText.replace(`"transactions":${full}`, () => `"transactions":[${hashes.join()}]`);
}
