import { setTimeout as sleep } from "node:timers/promises";
import { BadUpstreamData } from "../../../core/errors.ts";
import { isMethodNotFound, NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import type { Answer } from "../../shared/node/rpc-request.ts";
import type { Writer } from "../../shared/writer.ts";
import { createRests, type Rests } from "../contract-calls/retry-delays.ts";
import type { EvmSource } from "../fetch/source.ts";
import { type AnsweredToken, type PendingToken, pendingTokens, storeAnswers, TOKEN_PAGE } from "./store.ts";
import type { TokenAnswer } from "./token-text.ts";

/** name(), symbol(), decimals() */
const SELECTORS = ["0x06fdde03", "0x95d89b41", "0x313ce567"] as const;
const IDLE_MS = 250;
const RETRY_MS = 1_000;
/** An answer longer than this is kept cut: no name needs more, and a contract may answer megabytes. */
const MAX_ANSWER_CHARACTERS = 10_000;
/** An error of the contract's code; its words may be the contract's own. */
const IS_REVERT = /^execution reverted/;
/** What a node says that lacks a state, is behind, or wants to be left alone. */
const IS_OF_NODE =
  /missing trie node|(header|block|state|method)\b.* (not found|not available|does not exist)|unfinalized|unknown block|rate limit|too many/i;

export interface TokenDeps {
  readonly chainId: string;
  readonly writer: Writer;
  readonly node: NodeClient;
  readonly source: Pick<EvmSource, "blockRef">;
  readonly signal: AbortSignal;
}

/**
 * Asks the contracts that emitted transfers what they call themselves, beside the indexing of blocks, so that no contract
 * can hold a chain up. What they answer is kept raw, so that a replay asks nobody. Until `signal`; rejects when the database fails.
 */
export async function indexTokens(deps: TokenDeps): Promise<void> {
  const rests = createRests();
  try {
    for (;;) await sleep(await indexPage(deps, rests), undefined, { signal: deps.signal });
  } catch (error) {
    if (!deps.signal.aborted) throw error;
  }
}

/** Returns how long to wait before the next page. */
async function indexPage(deps: TokenDeps, rests: Rests): Promise<number> {
  const { writer, chainId } = deps;
  const pending = await writer.transaction((session) => pendingTokens(session, chainId, rests.resting()));
  const unknown = pending.filter(({ answers }) => answers === null);
  const isOnChain = unknown.length === 0 || (await hasBlockOf(deps, unknown.at(-1) as PendingToken));
  const asked = isOnChain ? await Promise.all(unknown.map((token) => ask(deps, token, rests))) : [];
  const answered = [...pending, ...asked].filter(
    (token): token is AnsweredToken => token !== null && token.answers !== null,
  );
  if (answered.length > 0) await writer.transaction((session) => storeAnswers(session, chainId, answered));
  if (!isOnChain) return RETRY_MS;
  return pending.length === TOKEN_PAGE ? 0 : IDLE_MS;
}

/**
 * Whether the node has the block that the token came with. A node of another chain or branch, or one that is behind, has
 * not, and would answer for a contract that is another one or is not there yet.
 */
export async function hasBlockOf(
  { source }: Pick<TokenDeps, "source">,
  { firstBlockNumber, firstBlockHash }: Pick<PendingToken, "firstBlockNumber" | "firstBlockHash">,
): Promise<boolean> {
  try {
    return (await source.blockRef(firstBlockNumber))?.hash === firstBlockHash;
  } catch (error) {
    if (error instanceof NodeUnavailable || error instanceof BadUpstreamData) return false;
    throw error;
  }
}

/** The token with its three answers; null when the node gave none, then it rests. An error answer is an answer about the token. */
async function ask({ node }: TokenDeps, token: PendingToken, rests: Rests): Promise<AnsweredToken | null> {
  const calls = SELECTORS.map((data) => ({ method: "eth_call", params: [{ to: token.address, data }, "latest"] }));
  try {
    const answers = (await node.callAll(calls)).map(tokenAnswer);
    rests.end(token.address);
    return { ...token, answers: JSON.stringify(answers) };
  } catch (error) {
    if (!(error instanceof NodeUnavailable)) throw error;
    rests.begin(token.address);
    return null;
  }
}

function tokenAnswer(answer: Answer): TokenAnswer {
  if (answer instanceof RpcError) {
    if (isOfNode(answer)) throw new NodeUnavailable(`the node refuses eth_call: ${answer.message} (${answer.code})`);
    return { error: answer.message.slice(0, MAX_ANSWER_CHARACTERS).replaceAll("\0", "") };
  }
  const result = typeof answer.result === "string" && /^0x[0-9a-f]*$/i.test(answer.result) ? answer.result : "0x";
  return { result: result.slice(0, MAX_ANSWER_CHARACTERS) };
}

/** Whether an error answer to `eth_call` is about the node: then it says nothing of the contract, which is to be asked again. */
export function isOfNode(error: RpcError): boolean {
  const { code, message } = error;
  return isMethodNotFound(error) || (code !== 3 && !IS_REVERT.test(message) && IS_OF_NODE.test(message));
}
