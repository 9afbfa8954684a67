import { isContractError } from "../../../core/networks/contract-errors.ts";
import type { ContractAnswer } from "../contract-calls/contract-answer.ts";
import { decodeDecimals, decodeText } from "./token-text.ts";

/** The answers to `name()`, `symbol()` and `decimals()`. */
export type TokenAnswers = readonly [name: ContractAnswer, symbol: ContractAnswer, decimals: ContractAnswer];

/** What a contract's answers say about it. */
export interface TokenValues {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

export function tokenValues([name, symbol, decimals]: TokenAnswers): TokenValues {
  return { name: decodeText(name), symbol: decodeText(symbol), decimals: decodeDecimals(decimals) };
}

/**
 * The values of stored answers; null if one of them is an error that the contract did not cause. Earlier versions stored such
 * errors of nodes as answers.
 */
export function storedValues(json: string): TokenValues | null {
  const answers = JSON.parse(json) as TokenAnswers;
  const isContract = answers.every((answer) => "result" in answer || isContractError({ message: answer.error }));
  return isContract ? tokenValues(answers) : null;
}
