import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import { type Idle, type RepeatOptions, repeatPages, SHORT_PAUSE_MS } from "../../shared/repeat-pages.ts";
import type { Writer } from "../../shared/writer.ts";
import { type ContractAnswer, contractAnswer } from "../contract-calls/contract-answer.ts";
import type { ContractNode } from "../contract-calls/contract-node.ts";
import { idleUntilDue } from "../contract-calls/next-due.ts";
import { readIfNodeHasBlock } from "../contract-calls/read-if-node-has-block.ts";
import { retryPauseSeconds } from "../contract-calls/retry-pause.ts";
import { type Attempt, type Contract, dueContracts, newContracts, PAGE, storeAttempts, storeValues } from "./store.ts";
import { storedValues, type TokenAnswers, tokenValues } from "./token-values.ts";

/** name(), symbol(), decimals() */
const SELECTORS = ["0x06fdde03", "0x95d89b41", "0x313ce567"] as const;
/** Pause if the node does not have the contracts' blocks. */
const RETRY_MS = 1_000;
/** Longer answers are cut: names are shorter, and a contract may answer with megabytes. */
const MAX_ANSWER_CHARACTERS = 10_000;
const FIRST_EMPTY_PAUSE_SECONDS = 3_600;
const MAX_EMPTY_PAUSE_SECONDS = 30 * 86_400;

export interface TokenDeps extends RepeatOptions {
  readonly chainId: string;
  readonly writer: Writer;
  /** The node for the calls of one page. */
  readonly contractNode: () => ContractNode;
  /** The time in seconds since the epoch; the system's by default. */
  readonly nowSeconds?: () => number;
}

const systemSeconds = (): number => Math.floor(Date.now() / 1_000);

/**
 * Reads name, symbol and decimals of the contracts that emitted transfers, until `signal` aborts. Runs at the same time as the
 * indexing of blocks, so that no contract can delay the chain. Stores the raw answers, so that a replay needs no node. Calls a
 * contract again if the node could not call it, if it had neither name nor symbol, and on request. Rejects only if the database
 * fails.
 */
export async function indexTokens(deps: TokenDeps): Promise<void> {
  await repeatPages(() => indexPage(deps), deps);
}

/** Returns when the next page is read, as `repeatPages` expects it. */
async function indexPage(deps: TokenDeps): Promise<number | Idle> {
  const { writer, chainId, contractNode, nowSeconds = systemSeconds } = deps;
  const now = nowSeconds();
  const { fresh, due, idle } = await writer.transaction(async (session) => {
    const fresh = await newContracts(session, chainId);
    const due = await dueContracts(session, chainId, now);
    const hasWork = fresh.length + due.length > 0;
    return { fresh, due, idle: hasWork ? null : await idleUntilDue(session, "raw_token_answers", chainId, now) };
  });
  if (idle) return idle;
  const stored = fresh.flatMap((contract) =>
    contract.answers === null ? [] : [{ contract, values: storedValues(contract.answers) }],
  );
  if (stored.length > 0) await writer.transaction((session) => storeValues(session, chainId, stored));
  const known = new Set(stored.map(({ contract }) => contract));
  const contracts = [...fresh.filter((contract) => !known.has(contract)), ...due];
  const newest = contracts.toSorted((a, b) => a.firstBlockNumber - b.firstBlockNumber).at(-1);
  const { node, source } = contractNode();
  const callAll = () => Promise.all(contracts.map((contract) => call(node, contract, nowSeconds)));
  const attempts = newest ? await readIfNodeHasBlock(source, newest, callAll) : [];
  if (attempts === null) return RETRY_MS;
  if (attempts.length > 0) await writer.transaction((session) => storeAttempts(session, chainId, attempts));
  return fresh.length === PAGE || due.length === PAGE ? 0 : SHORT_PAUSE_MS;
}

/** Calls the contract. The attempt has no answers if the node failed. */
async function call(node: NodeClient, contract: Contract, nowSeconds: () => number): Promise<Attempt> {
  const calls = SELECTORS.map((data) => ({ method: "eth_call", params: [{ to: contract.address, data }, "latest"] }));
  try {
    const answers = (await node.callAll(calls)).map((answer) => storable(contractAnswer(answer)));
    // There is an answer to each call.
    return answered(contract, answers as [ContractAnswer, ContractAnswer, ContractAnswer], nowSeconds());
  } catch (error) {
    if (!(error instanceof NodeUnavailable)) throw error;
    const nodeFailures = contract.nodeFailures + 1;
    const attemptedAt = nowSeconds();
    const nextAttemptAt = attemptedAt + retryPauseSeconds(nodeFailures, error.retryAfterMs);
    const { emptyAnswers } = contract;
    return { contract, answers: null, values: null, attemptedAt, nodeFailures, emptyAnswers, nextAttemptAt };
  }
}

/** A contract without name and symbol may be a proxy that is initialised later, so it is called again. */
function answered(contract: Contract, answers: TokenAnswers, attemptedAt: number): Attempt {
  const values = tokenValues(answers);
  const isEmpty = values.name === "" && values.symbol === "";
  const emptyAnswers = isEmpty ? contract.emptyAnswers + 1 : 0;
  const nextAttemptAt = isEmpty ? attemptedAt + emptyPauseSeconds(emptyAnswers) : null;
  return {
    contract,
    answers: JSON.stringify(answers),
    values,
    attemptedAt,
    nodeFailures: 0,
    emptyAnswers,
    nextAttemptAt,
  };
}

/** One hour after the first empty answer, then four times as long each time, at most 30 days. */
function emptyPauseSeconds(emptyAnswers: number): number {
  return Math.min(MAX_EMPTY_PAUSE_SECONDS, FIRST_EMPTY_PAUSE_SECONDS * 4 ** (emptyAnswers - 1));
}

function storable(answer: ContractAnswer): ContractAnswer {
  if ("error" in answer) return { error: answer.error.slice(0, MAX_ANSWER_CHARACTERS).replaceAll("\0", "") };
  return { result: answer.result.slice(0, MAX_ANSWER_CHARACTERS) };
}
