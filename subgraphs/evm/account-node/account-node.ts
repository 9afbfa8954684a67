import { Agent, type Dispatcher, request } from "undici";
import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { Failure, type FailureCode } from "../../../core/errors.ts";
import type { IndexedBlock } from "../native-balances/find-block.ts";

const CONNECTIONS = 16;
const MAX_RESPONSE_BYTES = 1 << 20;

/** Reads what an address has after a block from the node of its chain. */
export type ReadAccount<Value> = (chain: EvmChainConfig, block: IndexedBlock, address: string) => Promise<Value>;

/**
 * Reads the state of accounts from the nodes of chains. Throws `UNAVAILABLE` if the node does not respond or does not have the
 * block, `NOT_FOUND` if it no longer has the block's state, otherwise `UPSTREAM_FAILED`.
 */
export interface AccountNode extends AsyncDisposable {
  /** The native balance, as decimal text. */
  readonly balance: ReadAccount<string>;
  /** The code, as `0x` hex in lower case. */
  readonly code: ReadAccount<string>;
}

/** Connects on the first call. Its errors never contain the URL of a node. */
export function createAccountNode({ requestTimeoutMs }: { readonly requestTimeoutMs: number }): AccountNode {
  const agent = new Agent({ connections: CONNECTIONS, maxResponseSize: MAX_RESPONSE_BYTES });
  const reader =
    (question: Question): ReadAccount<string> =>
    async (chain, block, address) => {
      const node = `the node of chain ${chain.chainId}`;
      // By hash: after a reorganisation the node may have another block at the same height.
      const call = { method: question.method, params: [address, { blockHash: block.blockHash }] };
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const answer = await ask(agent, chain, call, signal).catch((error: unknown) => {
        throw error instanceof Failure ? error : new Failure("UNAVAILABLE", `${node} does not respond`, error);
      });
      return resultOf(question, answer, node, block);
    };
  return {
    balance: reader(BALANCE),
    code: reader(CODE),
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** A method of the node that takes an address and a block. */
interface Question {
  readonly method: string;
  /** What the method returns, for error messages. */
  readonly name: string;
  readonly pattern: RegExp;
  readonly parse: (result: string) => string;
}

const BALANCE: Question = {
  method: "eth_getBalance",
  name: "balance",
  pattern: /^0x[0-9a-f]{1,64}$/i,
  parse: (result) => BigInt(result).toString(),
};

const CODE: Question = {
  method: "eth_getCode",
  name: "code",
  pattern: /^0x(?:[0-9a-f]{2})*$/i,
  parse: (result) => result.toLowerCase(),
};

interface WireAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

async function ask(
  dispatcher: Dispatcher,
  { chainId, nodeUrl, nodeHeaders }: EvmChainConfig,
  call: { readonly method: string; readonly params: readonly unknown[] },
  signal: AbortSignal,
): Promise<WireAnswer> {
  const { statusCode, body } = await request(nodeUrl, {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json", ...nodeHeaders },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }),
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
  readonly message: (block: IndexedBlock, name: string) => string;
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
    message: ({ blockNumber }, name) => `returned an error for the ${name} after block ${blockNumber}`,
  },
];

function resultOf(
  { method, name, pattern, parse }: Question,
  { result, error }: WireAnswer,
  node: string,
  block: IndexedBlock,
): string {
  if (typeof result === "string" && pattern.test(result)) return parse(result);
  if (!error) throw new Failure("UPSTREAM_FAILED", `${node} returned an invalid ${name}`);
  const text = String(error.message);
  const { code, message } = ERROR_RULES.find(({ pattern }) => pattern.test(text)) as ErrorRule;
  throw new Failure(code, `${node} ${message(block, name)}`, new Error(`${method}: ${String(error.code)} ${text}`));
}
