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

/** The values of stored answers, which are JSON. */
export const storedValues = (json: string): TokenValues => tokenValues(JSON.parse(json) as TokenAnswers);
