import { Agent, type Dispatcher, request } from "undici";
import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { Failure, type FailureCode } from "../../../core/errors.ts";
import type { IndexedBlock } from "./find-block.ts";

const CONNECTIONS = 16;
const MOST_BYTES = 1 << 20;

/** Asks a chain's own node for what it alone knows. */
export interface BalanceNode extends AsyncDisposable {
  /**
   * What an address has after a block, as decimal text. Throws `UNAVAILABLE` where the node gives no answer or does not
   * have the block, `NOT_FOUND` where it no longer keeps the block's state, `UPSTREAM_FAILED` for anything else.
   */
  balance(chain: EvmChainConfig, block: IndexedBlock, address: string): Promise<string>;
}

/** Opens nothing before the first question. What it throws says nothing of where the node is. */
export function createBalanceNode({ requestTimeoutMs }: { readonly requestTimeoutMs: number }): BalanceNode {
  const agent = new Agent({ connections: CONNECTIONS, maxResponseSize: MOST_BYTES });
  return {
    async balance(chain, block, address) {
      const about = `the node of chain ${chain.chainId}`;
      // By hash: a number would be answered from another branch while the node and the index differ.
      const params = [address, { blockHash: block.blockHash }];
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const answer = await ask(agent, chain, params, signal).catch((error: unknown) => {
        throw error instanceof Failure ? error : new Failure("UNAVAILABLE", `${about} gives no answer`, error);
      });
      return balanceOf(answer, about, block);
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

interface WireAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

async function ask(
  dispatcher: Dispatcher,
  { chainId, nodeUrl, nodeHeaders }: EvmChainConfig,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<WireAnswer> {
  const { statusCode, body } = await request(nodeUrl, {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json", ...nodeHeaders },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params }),
    signal,
  });
  const answer = parsed(await body.text());
  if (answer) return answer;
  const isAway = statusCode === 429 || statusCode >= 500;
  throw new Failure(
    isAway ? "UNAVAILABLE" : "UPSTREAM_FAILED",
    `the node of chain ${chainId} answers HTTP ${statusCode} without a result`,
  );
}

function parsed(text: string): WireAnswer | null {
  try {
    const answer: unknown = JSON.parse(text);
    return isAnswer(answer) ? answer : null;
  } catch {
    return null;
  }
}

function isAnswer(answer: unknown): answer is WireAnswer {
  return typeof answer === "object" && answer !== null && ("result" in answer || "error" in answer);
}

interface ErrorRule {
  readonly words: RegExp;
  readonly code: FailureCode;
  readonly says: (block: IndexedBlock) => string;
}

/** What nodes of several makes say, and what it means; the first that fits counts. */
const ERROR_RULES: readonly ErrorRule[] = [
  {
    words: /missing trie node|state.* not available|no state available|state unavailable|prun|BlockOutOfRange/i,
    code: "NOT_FOUND",
    says: ({ blockNumber }) => `does not keep the state of block ${blockNumber}: only an archive node does`,
  },
  {
    words: /not found|unknown block|unfinalized|canonical/i,
    code: "UNAVAILABLE",
    says: ({ blockNumber }) => `does not have block ${blockNumber} as it is indexed, try again later`,
  },
  {
    words: /bootstrapp|too many|rate limit|limit exceeded|busy|timeout|timed out/i,
    code: "UNAVAILABLE",
    says: () => "cannot answer now, try again later",
  },
  {
    words: /^/,
    code: "UPSTREAM_FAILED",
    says: ({ blockNumber }) => `refuses to tell a balance after block ${blockNumber}`,
  },
];

function balanceOf({ result, error }: WireAnswer, about: string, block: IndexedBlock): string {
  if (typeof result === "string" && /^0x[0-9a-f]{1,64}$/i.test(result)) return BigInt(result).toString();
  if (!error) throw new Failure("UPSTREAM_FAILED", `${about} answers a balance that is none`);
  const message = String(error.message);
  const { code, says } = ERROR_RULES.find(({ words }) => words.test(message)) as ErrorRule;
  throw new Failure(code, `${about} ${says(block)}`, new Error(`eth_getBalance: ${String(error.code)} ${message}`));
}
