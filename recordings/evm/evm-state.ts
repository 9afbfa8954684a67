import { isObject } from "../../core/formats/json.ts";
import { type Answer, Refusal, resultOf } from "../answers.ts";
import { type EvmCall, heightOrHashAt } from "./evm-call.ts";
import { hexOf } from "./evm-chain.ts";

/** Number of recent states that a pruning node keeps (coreth's `tip-buffer-size`). */
const KEPT_STATES = 32;

/** `eth_getBalance`. "0x0" for an address without recorded state. */
export function balance(call: EvmCall): Answer {
  return stateOf(call, "eth_getBalance", call.params[0]) ?? resultOf('"0x0"');
}

/** `eth_getTransactionCount`. "0x0" for an address without recorded state. */
export function transactionCount(call: EvmCall): Answer {
  return stateOf(call, "eth_getTransactionCount", call.params[0]) ?? resultOf('"0x0"');
}

/** `eth_getCode`. "0x" for an address without recorded state. */
export function code(call: EvmCall): Answer {
  return stateOf(call, "eth_getCode", call.params[0]) ?? resultOf('"0x"');
}

/** `eth_call`, as recorded. Any other call returns "0x" if the address has no code, and reverts if it has. */
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

/** The recorded state; undefined if that block's state is recorded but has nothing about the subject. */
function stateOf(call: EvmCall, method: string, subject: unknown): Answer | undefined {
  const height = heightOrHashAt({ ...call, params: [subject, call.params[1] ?? "latest"] }, 1);
  const exact = call.chain.recorded(method, [subject, hexOf(height)]);
  if (exact) return exact;
  if (!usesFinalState(call, height))
    throw new Refusal(-32000, `missing trie node (state of block ${height} is not in the recording)`);
  return call.chain.recorded(method, [subject, "latest"]);
}

/**
 * True if the state recorded at the end of the chain stands for that of this height. State was recorded at the end only (and
 * balances at three more heights), so below the end all recent heights are answered with it.
 */
function usesFinalState({ chain, head }: EvmCall, height: number): boolean {
  return height === head || (head < chain.height && height > head - KEPT_STATES);
}
