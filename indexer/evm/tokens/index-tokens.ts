import { setTimeout as sleep } from "node:timers/promises";
import { NodeUnavailable, RpcError, refusedByNode } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import type { Answer } from "../../shared/node/rpc-answers.ts";
import type { Writer } from "../../shared/writer.ts";
import { isNodeError } from "../contract-calls/node-errors.ts";
import { readIfNodeHasBlock } from "../contract-calls/read-if-node-has-block.ts";
import { createRetryDelays, type RetryDelays } from "../contract-calls/retry-delays.ts";
import type { EvmSource } from "../fetch/source.ts";
import { type AnsweredToken, type PendingToken, pendingTokens, storeAnswers, TOKEN_PAGE } from "./store.ts";
import type { TokenAnswer } from "./token-text.ts";

/** name(), symbol(), decimals() */
const SELECTORS = ["0x06fdde03", "0x95d89b41", "0x313ce567"] as const;
/** Pause if no token is pending. */
const IDLE_MS = 250;
/** Pause if the node does not have the tokens' blocks. */
const RETRY_MS = 1_000;
/** Longer answers are cut: names are shorter, and a contract may answer with megabytes. */
const MAX_ANSWER_CHARACTERS = 10_000;

export interface TokenDeps {
  readonly chainId: string;
  readonly writer: Writer;
  readonly node: NodeClient;
  readonly source: Pick<EvmSource, "blockRef">;
  readonly signal: AbortSignal;
}

/**
 * Reads name, symbol and decimals of the contracts that emitted transfers, until `signal` aborts. Runs at the same time as the
 * indexing of blocks, so that no contract can delay the chain. Stores the raw answers, so that a replay needs no node. Rejects
 * only if the database fails.
 */
export async function indexTokens(deps: TokenDeps): Promise<void> {
  const delays = createRetryDelays();
  try {
    for (;;) await sleep(await indexPage(deps, delays), undefined, { signal: deps.signal });
  } catch (error) {
    if (!deps.signal.aborted) throw error;
  }
}

/** Returns the pause before the next page, in milliseconds. */
async function indexPage(deps: TokenDeps, delays: RetryDelays): Promise<number> {
  const { writer, chainId, source } = deps;
  const pending = await writer.transaction((session) => pendingTokens(session, chainId, delays.delayed()));
  const unanswered = pending.filter(({ answers }) => answers === null);
  const last = unanswered.at(-1);
  const fetchAll = () => Promise.all(unanswered.map((token) => fetchAnswers(deps, token, delays)));
  const fetched = last ? await readIfNodeHasBlock(source, last, fetchAll) : [];
  const answered = [...pending, ...(fetched ?? [])].filter(
    (token): token is AnsweredToken => token !== null && token.answers !== null,
  );
  if (answered.length > 0) await writer.transaction((session) => storeAnswers(session, chainId, answered));
  if (fetched === null) return RETRY_MS;
  return pending.length === TOKEN_PAGE ? 0 : IDLE_MS;
}

/** The token with its three answers, which may be errors of the contract; null if the node failed, to be retried later. */
async function fetchAnswers(
  { node }: TokenDeps,
  token: PendingToken,
  delays: RetryDelays,
): Promise<AnsweredToken | null> {
  const calls = SELECTORS.map((data) => ({ method: "eth_call", params: [{ to: token.address, data }, "latest"] }));
  try {
    const answers = (await node.callAll(calls)).map(tokenAnswer);
    delays.succeeded(token.address);
    return { ...token, answers: JSON.stringify(answers) };
  } catch (error) {
    if (!(error instanceof NodeUnavailable)) throw error;
    delays.failed(token.address);
    return null;
  }
}

function tokenAnswer(answer: Answer): TokenAnswer {
  if (answer instanceof RpcError) {
    if (isNodeError(answer)) throw refusedByNode("eth_call", answer);
    return { error: answer.message.slice(0, MAX_ANSWER_CHARACTERS).replaceAll("\0", "") };
  }
  const result = typeof answer.result === "string" && /^0x[0-9a-f]*$/i.test(answer.result) ? answer.result : "0x";
  return { result: result.slice(0, MAX_ANSWER_CHARACTERS) };
}
