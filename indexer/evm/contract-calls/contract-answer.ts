import { isContractError } from "../../../core/networks/contract-errors.ts";
import { NodeUnavailable, RpcError, refusedByNode } from "../../shared/node/errors.ts";
import type { Answer } from "../../shared/node/rpc-answers.ts";

/** What a contract answered to a call: the bytes that it returned as `0x` hex, or the message of an error of its code. */
export type ContractAnswer = { readonly result: string } | { readonly error: string };

const BYTES = /^0x([0-9a-f]{2})*$/i;

/** The contract's answer in a node's answer to `eth_call`. Throws `NodeUnavailable` if the node could not call the contract. */
export function contractAnswer(answer: Answer | undefined): ContractAnswer {
  if (answer instanceof RpcError) {
    if (!isContractError(answer)) throw refusedByNode("eth_call", answer);
    return { error: answer.message };
  }
  const result = answer?.result;
  if (typeof result !== "string" || !BYTES.test(result))
    throw new NodeUnavailable("the node answers eth_call with something that is not bytes in hex");
  return { result };
}
