import type DataLoader from "dataloader";
import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { createDataLoader } from "../../../core/database/data-loader.ts";
import { Failure, type FailureCode } from "../../../core/errors/errors.ts";
import {
  createEvmNodeClient,
  type NodeAnswer,
  type NodeCall,
  type QuarantinedChainNodes,
} from "../../shared/evm-node/evm-node-client.ts";
import type { IndexedBlock } from "../../shared/rows/selected-block.ts";

const CONNECTIONS = 16;
/** Enough for the codes of 100 contracts of the largest size. */
const MAX_RESPONSE_BYTES = 10 << 20;

/** Reads one value of an address after a block from the node of the chain. */
export type ReadAccount<Value> = (chain: EvmChainConfig, block: IndexedBlock, address: string) => Promise<Value>;

/**
 * Reads the state of accounts from the nodes of chains. All reads of one chain in one tick are sent together. Throws
 * `NOT_FOUND` if the node no longer has the state of the block, `UNAVAILABLE` if it does not respond, is overloaded, does not have the
 * block, or returns any other error, and `UPSTREAM_FAILED` for an invalid result.
 */
export interface AccountNode extends AsyncDisposable {
  /** The native balance, as decimal text. */
  readonly balance: ReadAccount<string>;
  /** The code, as `0x` hex in lower case. */
  readonly code: ReadAccount<string>;
  /** Makes the function that reads the word at a position (32 bytes as `0x` hex) of the storage, as `0x` hex in lower case. */
  storageAt(position: string): ReadAccount<string>;
}

export interface AccountNodeDeps {
  readonly requestTimeoutMs: number;
  /** Default: no node is quarantined. */
  readonly quarantined?: QuarantinedChainNodes;
}

/** Connects on the first call. Its errors never contain the URL of a node. */
export function createAccountNode({ requestTimeoutMs, quarantined }: AccountNodeDeps): AccountNode {
  const client = createEvmNodeClient({
    requestTimeoutMs,
    connections: CONNECTIONS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    quarantined,
  });
  const loaders = new Map<number, DataLoader<NodeCall, NodeAnswer, string>>();
  // Each chain has a loader of its own, so that no chain waits for the node of another one.
  const loaderOf = (chain: EvmChainConfig) => {
    const send = (calls: readonly NodeCall[]) => client.send(chain, calls);
    const loader =
      loaders.get(chain.chainId) ?? createDataLoader<NodeCall, NodeAnswer>("account", send, { cache: false });
    loaders.set(chain.chainId, loader);
    return loader;
  };
  const reader =
    (question: Question, ...more: readonly string[]): ReadAccount<string> =>
    async (chain, block, address) => {
      // The block is named by hash, because after a reorganisation the node may have another block at the same height.
      const params = [address, ...more, { blockHash: block.blockHash }];
      const answer = await loaderOf(chain).load({ method: question.method, params });
      return resultOf(question, answer, `the node of chain ${chain.chainId}`, block);
    };
  return {
    balance: reader(BALANCE),
    code: reader(CODE),
    storageAt: (position) => reader(STORAGE, position),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
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

const STORAGE: Question = {
  method: "eth_getStorageAt",
  name: "word of the storage",
  pattern: /^0x[0-9a-f]{64}$/i,
  parse: (result) => result.toLowerCase(),
};

interface ErrorRule {
  readonly pattern: RegExp;
  readonly code: FailureCode;
  readonly message: (block: IndexedBlock) => string;
}

/**
 * Error messages of several node implementations and what they mean. The first match is used. No contract runs for these reads, so
 * every other error, known or unknown, is a failure of the node that may pass.
 */
const ERROR_RULES: readonly ErrorRule[] = [
  {
    pattern: /missing trie node|state.* not available|no state available|state unavailable|prun|BlockOutOfRange/i,
    code: "NOT_FOUND",
    message: ({ blockNumber }) => `no longer has the state of block ${blockNumber}: only an archive node keeps it`,
  },
  {
    pattern: /(?<!method )not found|unknown block|unfinalized|canonical/i,
    code: "UNAVAILABLE",
    message: ({ blockNumber }) => `does not have the indexed block ${blockNumber}, try again later`,
  },
  { pattern: /^/, code: "UNAVAILABLE", message: () => "cannot respond at present, try again later" },
];

function resultOf(
  { method, name, pattern, parse }: Question,
  { result, error }: NodeAnswer,
  node: string,
  block: IndexedBlock,
): string {
  if (typeof result === "string" && pattern.test(result)) return parse(result);
  if (!error) throw new Failure("UPSTREAM_FAILED", `${node} returned an invalid ${name}`);
  const text = String(error.message);
  const { code, message } = ERROR_RULES.find(({ pattern }) => pattern.test(text)) as ErrorRule;
  throw new Failure(code, `${node} ${message(block)}`, new Error(`${method}: ${String(error.code)} ${text}`));
}
