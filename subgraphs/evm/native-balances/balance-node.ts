import { Agent, type Dispatcher, request } from "undici";
import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { Failure, type FailureCode } from "../../../core/errors.ts";
import type { IndexedBlock } from "./find-block.ts";

const CONNECTIONS = 16;
const MAX_RESPONSE_BYTES = 1 << 20;

/** Reads native balances from the nodes of chains. */
export interface BalanceNode extends AsyncDisposable {
  /**
   * Reads the balance of an address after a block, as decimal text. Throws `UNAVAILABLE` if the node does not respond or
   * does not have the block, `NOT_FOUND` if it no longer has the block's state, otherwise `UPSTREAM_FAILED`.
   */
  balance(chain: EvmChainConfig, block: IndexedBlock, address: string): Promise<string>;
}

/** Connects on the first call. Its errors never contain the URL of a node. */
export function createBalanceNode({ requestTimeoutMs }: { readonly requestTimeoutMs: number }): BalanceNode {
  const agent = new Agent({ connections: CONNECTIONS, maxResponseSize: MAX_RESPONSE_BYTES });
  return {
    async balance(chain, block, address) {
      const node = `the node of chain ${chain.chainId}`;
      // By hash: after a reorganisation the node may have another block at the same height.
      const params = [address, { blockHash: block.blockHash }];
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const answer = await getBalance(agent, chain, params, signal).catch((error: unknown) => {
        throw error instanceof Failure ? error : new Failure("UNAVAILABLE", `${node} does not respond`, error);
      });
      return balanceOf(answer, node, block);
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

interface WireAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

async function getBalance(
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
  const isOverloaded = statusCode === 429 || statusCode >= 500;
  throw new Failure(
    isOverloaded ? "UNAVAILABLE" : "UPSTREAM_FAILED",
    `the node of chain ${chainId} responded with HTTP ${statusCode} and no result`,
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
  readonly pattern: RegExp;
  readonly code: FailureCode;
  readonly message: (block: IndexedBlock) => string;
}

/** Error messages of several node implementations and what they mean. The first match is used. */
const ERROR_RULES: readonly ErrorRule[] = [
  {
    pattern: /missing trie node|state.* not available|no state available|state unavailable|prun|BlockOutOfRange/i,
    code: "NOT_FOUND",
    message: ({ blockNumber }) => `no longer has the state of block ${blockNumber}: only an archive node keeps it`,
  },
  {
    pattern: /not found|unknown block|unfinalized|canonical/i,
    code: "UNAVAILABLE",
    message: ({ blockNumber }) => `does not have the indexed block ${blockNumber}, try again later`,
  },
  {
    pattern: /bootstrapp|too many|rate limit|limit exceeded|busy|timeout|timed out/i,
    code: "UNAVAILABLE",
    message: () => "cannot respond at present, try again later",
  },
  {
    pattern: /^/,
    code: "UPSTREAM_FAILED",
    message: ({ blockNumber }) => `returned an error for the balance after block ${blockNumber}`,
  },
];

function balanceOf({ result, error }: WireAnswer, node: string, block: IndexedBlock): string {
  if (typeof result === "string" && /^0x[0-9a-f]{1,64}$/i.test(result)) return BigInt(result).toString();
  if (!error) throw new Failure("UPSTREAM_FAILED", `${node} returned an invalid balance`);
  const text = String(error.message);
  const { code, message } = ERROR_RULES.find(({ pattern }) => pattern.test(text)) as ErrorRule;
  throw new Failure(code, `${node} ${message(block)}`, new Error(`eth_getBalance: ${String(error.code)} ${text}`));
}
