import { type Answer, answerOf, notRecorded, Refusal, resultOf } from "../answers.ts";
import * as blocks from "./evm-blocks.ts";
import type { EvmCall } from "./evm-call.ts";
import { hexOf } from "./evm-chain.ts";
import { logs } from "./evm-logs.ts";
import * as state from "./evm-state.ts";

/** Methods whose answer hangs on the head or is composed; all others are answered exactly as recorded. */
const METHODS = new Map<string, (call: EvmCall) => Answer>([
  ["eth_blockNumber", ({ head }) => resultOf(`"${hexOf(head)}"`)],
  ["eth_getBlockByNumber", blocks.blockByNumber],
  ["eth_getBlockByHash", blocks.blockByHash],
  ["eth_getBlockReceipts", blocks.blockReceipts],
  ["eth_getTransactionReceipt", blocks.transactionReceipt],
  ["eth_getTransactionByHash", blocks.transactionByHash],
  ["debug_traceBlockByNumber", blocks.traceByNumber],
  ["debug_traceBlockByHash", blocks.traceByHash],
  ["eth_getLogs", logs],
  ["eth_getBalance", state.balance],
  ["eth_getTransactionCount", state.transactionCount],
  ["eth_getCode", state.code],
  ["eth_call", state.contractCall],
  ["warp_getMessage", (call) => warpMessage(call, "warp_getMessage")],
  ["warp_getMessageSignature", (call) => warpMessage(call, "warp_getMessageSignature")],
]);

/** What the chain's node says to a call while its head stands at `call.head`. */
export function answerEvm(method: string, call: EvmCall): Answer {
  return answerOf(() => METHODS.get(method)?.(call) ?? asRecorded(method, call));
}

function asRecorded(method: string, { chain, params }: EvmCall): Answer {
  const answer = chain.recorded(method, params);
  if (answer) return answer;
  if (chain.knows(method)) throw notRecorded(method, params);
  throw new Refusal(-32601, `the method ${method} does not exist/is not available`);
}

function warpMessage({ chain, params }: EvmCall, method: string): Answer {
  const answer = chain.recorded(method, params);
  if (!answer) throw new Refusal(-32000, `failed to get message ${params[0]} with error not found`);
  return answer;
}
