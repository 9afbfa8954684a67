import type { Chains } from "../../../core/chains.ts";
import type { EvmChainConfig } from "../../../core/config-schema.ts";
import type { BalanceNode } from "./balance-node.ts";
import type { FindBlock, IndexedBlock } from "./find-block.ts";
import type { NativeTokenBalanceArgs } from "./types.ts";

const MOST_KNOWN = 10_000;

export interface NativeBalance {
  readonly chain: EvmChainConfig;
  readonly block: IndexedBlock;
  /** Decimal text, in the smallest unit. */
  readonly balance: string;
}

export interface NativeBalanceStore extends AsyncDisposable {
  /**
   * What an address has after the block that is meant; one statement, and one question to the chain's node unless the
   * same was asked before. Throws `NOT_FOUND` for an unknown chain.
   */
  find(asked: Omit<NativeTokenBalanceArgs, "currency">): Promise<NativeBalance>;
}

export interface NativeBalanceDeps {
  readonly chains: Chains;
  readonly findBlock: FindBlock;
  readonly node: BalanceNode;
  /** Most balances that are cached. Default 10,000. */
  readonly mostKnown?: number;
}

/** Disposing it closes the connections to the nodes. */
export function createNativeBalanceStore(deps: NativeBalanceDeps): NativeBalanceStore {
  const { chains, findBlock, node, mostKnown = MOST_KNOWN } = deps;
  // By the block's hash: what is known of a block that a reorganisation takes away is never asked for again.
  const known = new Map<string, Promise<string>>();

  function balance(chain: EvmChainConfig, block: IndexedBlock, address: string): Promise<string> {
    const key = `${chain.chainId} ${block.blockHash} ${address}`;
    const before = known.get(key);
    const answer = before ?? node.balance(chain, block, address);
    known.delete(key);
    known.set(key, answer);
    if (!before) answer.catch(() => known.get(key) === answer && known.delete(key));
    if (known.size > mostKnown) forgetOldest(known);
    return answer;
  }

  return {
    async find({ chainId, address, ...asked }) {
      const chain = chains.find(chainId);
      const block = await findBlock(String(chain.chainId), asked);
      return { chain, block, balance: await balance(chain, block, address) };
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}

function forgetOldest(known: Map<string, unknown>): void {
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
