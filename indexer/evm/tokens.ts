import { setTimeout as sleep } from "node:timers/promises";
import { NodeUnavailable, RpcError } from "../errors.ts";
import type { NodeClient } from "../node-client.ts";
import type { Session, Writer } from "../writer.ts";
import { decodeDecimals, decodeText, type TokenAnswer } from "./token-text.ts";

/** name(), symbol(), decimals() */
const SELECTORS = ["0x06fdde03", "0x95d89b41", "0x313ce567"] as const;
const PAGE = 50;
const IDLE_MS = 250;
const RETRY_MS = 5_000;
/** An answer longer than this is kept cut: no name needs more, and a contract may answer megabytes. */
const MAX_ANSWER_CHARACTERS = 10_000;

export interface TokenDeps {
  readonly chainId: string;
  readonly writer: Writer;
  readonly node: NodeClient;
  readonly signal: AbortSignal;
}

interface PendingToken {
  readonly address: string;
  readonly answers: string | null;
}

/**
 * Asks the contracts that emitted transfers what they call themselves, beside the indexing of blocks, so that no contract
 * can hold a chain up. What they answer is kept raw, so that a replay asks nobody. Until `signal`; rejects when the database fails.
 */
export async function indexTokens(deps: TokenDeps): Promise<void> {
  while (!deps.signal.aborted) {
    const pauseMs = await indexPage(deps);
    await sleep(pauseMs, undefined, { signal: deps.signal }).catch(() => {});
  }
}

async function indexPage({ chainId, writer, node, signal }: TokenDeps): Promise<number> {
  const pending = await writer.transaction((session) => pendingTokens(session, chainId));
  if (pending.length === 0) return IDLE_MS;
  try {
    const answered = await Promise.all(
      pending.map(async ({ address, answers }) => ({ address, answers: answers ?? (await ask(node, address)) })),
    );
    await writer.transaction((session) => store(session, chainId, answered));
    return pending.length === PAGE ? 0 : IDLE_MS;
  } catch (error) {
    if (signal.aborted || isNodeTrouble(error)) return RETRY_MS;
    throw error;
  }
}

function isNodeTrouble(error: unknown): boolean {
  return error instanceof NodeUnavailable;
}

function pendingTokens(session: Session, chainId: string): Promise<PendingToken[]> {
  return session.query<{ address: string; answers: string | null }>(
    `SELECT '0x' || encode(t.address, 'hex') AS address, r.answers FROM erc20_tokens t
     LEFT JOIN raw_token_answers r ON r.chain_id = t.chain_id AND r.address = t.address
     WHERE t.chain_id = $1 AND t.metadata_status = 'PENDING' ORDER BY t.first_block_number LIMIT ${PAGE}`,
    [chainId],
  );
}

/** The three answers as JSON. An error answer is an answer about the token: it is not asked again. */
async function ask(node: NodeClient, address: string): Promise<string> {
  const calls = SELECTORS.map((data) => ({ method: "eth_call", params: [{ to: address, data }, "latest"] }));
  const answers = (await node.callAll(calls)).map((answer): TokenAnswer => {
    if (answer instanceof RpcError)
      return { error: answer.message.slice(0, MAX_ANSWER_CHARACTERS).replaceAll("\0", "") };
    const result = typeof answer.result === "string" && /^0x[0-9a-f]*$/i.test(answer.result) ? answer.result : "0x";
    return { result: result.slice(0, MAX_ANSWER_CHARACTERS) };
  });
  return JSON.stringify(answers);
}

async function store(
  session: Session,
  chainId: string,
  answered: readonly { address: string; answers: string }[],
): Promise<void> {
  const addresses = answered.map(({ address }) => `\\x${address.slice(2)}`);
  const decoded = answered.map(({ answers }) => JSON.parse(answers) as [TokenAnswer, TokenAnswer, TokenAnswer]);
  // A rollback since may have taken a token away: then its answers are not kept either.
  await session.query(
    `WITH known AS (
       UPDATE erc20_tokens t SET metadata_status = 'INDEXED', name = a.name, symbol = a.symbol, decimals = a.decimals
       FROM unnest($2::bytea[], $3::text[], $4::text[], $5::int[], $6::text[]) AS a (address, name, symbol, decimals, answers)
       WHERE t.chain_id = $1 AND t.address = a.address
       RETURNING t.address, a.answers)
     INSERT INTO raw_token_answers (chain_id, address, answers) SELECT $1, address, answers FROM known ON CONFLICT DO NOTHING`,
    [
      chainId,
      addresses,
      decoded.map(([name]) => decodeText(name)),
      decoded.map(([, symbol]) => decodeText(symbol)),
      decoded.map(([, , decimals]) => decodeDecimals(decimals)),
      answered.map(({ answers }) => answers),
    ],
  );
}
