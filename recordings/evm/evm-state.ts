import { type Answer, Refusal, resultOf } from "../answers.ts";
import { isObject } from "../params-key.ts";
import { type EvmCall, heightOrHashAt } from "./evm-call.ts";
import { hexOf } from "./evm-chain.ts";

/** How many states below its head a pruning node keeps (coreth's `tip-buffer-size`). */
const KEPT_STATES = 32;

/** `eth_getBalance`: "0x0" for an address that nothing on the chain ever touched. */
export function balance(call: EvmCall): Answer {
  return stateOf(call, "eth_getBalance", call.params[0]) ?? resultOf('"0x0"');
}

/** `eth_getTransactionCount`: "0x0" for an address that nothing on the chain ever touched. */
export function transactionCount(call: EvmCall): Answer {
  return stateOf(call, "eth_getTransactionCount", call.params[0]) ?? resultOf('"0x0"');
}

/** `eth_getCode`: "0x" for an address that nothing on the chain ever touched. */
export function code(call: EvmCall): Answer {
  return stateOf(call, "eth_getCode", call.params[0]) ?? resultOf('"0x"');
}

/** `eth_call`: recorded calls as recorded; any other is silent without code at the address and reverts with it. */
export function contractCall(call: EvmCall): Answer {
  const request = isObject(call.params[0]) ? call.params[0] : {};
  const to = String(request["to"] ?? "0x");
  const data = request["input"] ?? request["data"] ?? "0x";
  const answer = stateOf(call, "eth_call", { to, data });
  if (answer) return answer;
  const codeAtEnd = call.chain.recorded("eth_getCode", [to, "latest"])?.text ?? '"0x"';
  if (codeAtEnd !== '"0x"') throw new Refusal(-32000, "execution reverted");
  return resultOf('"0x"');
}

/** Undefined when the recording has that state but nothing on the subject. */
function stateOf(call: EvmCall, method: string, subject: unknown): Answer | undefined {
  const height = heightOrHashAt({ ...call, params: [subject, call.params[1] ?? "latest"] }, 1);
  const exact = call.chain.recorded(method, [subject, hexOf(height)]);
  if (exact) return exact;
  if (!readsAsEnd(call, height))
    throw new Refusal(-32000, `missing trie node (state of block ${height} is not in the recording)`);
  return call.chain.recorded(method, [subject, "latest"]);
}

/**
 * State is recorded at the end of the chain (balances at three heights more). While the head is below the end there is
 * no truer state to give, so the recent ones all read as the end's: the head may move on between two calls of a caller.
 */
function readsAsEnd({ chain, head }: EvmCall, height: number): boolean {
  return height === head || (head < chain.height && height > head - KEPT_STATES);
}
