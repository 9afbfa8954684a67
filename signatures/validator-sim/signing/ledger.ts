import type { ChainConfig, PChainState } from "../config.ts";

/** An EVM chain, or a chain without a handler for signature requests, and what happened on it. */
export interface ChainView {
  readonly vm: ChainConfig["vm"];
  /** True if the unsigned message was sent on the chain. */
  hasMessage(message: Buffer): boolean;
  /** True if the chain has accepted the block with this id. */
  hasBlock(blockId: string): boolean;
  /** Observed uptime in seconds; undefined if the validation is unknown. */
  uptimeOf(validationId: string): bigint | undefined;
}

/** A state of the P-Chain. */
export interface PChainView {
  readonly state: Pick<PChainState, "conversions" | "l1Validators" | "expiries">;
  /** Chain time in Unix seconds. */
  readonly timeSeconds: bigint;
}

/** What the chains contain at the time of a request. Nodes sign nothing else. */
export interface Ledger {
  /** Null for the P-Chain and for unknown chains. */
  chain(chainId: string): ChainView | null;
  /** The states that a P-Chain message may be true in, the newest first. Real nodes sign by the present one only. */
  pChainStates(): Iterable<PChainView>;
}

export interface ConfiguredChains {
  readonly chains: Readonly<Record<string, ChainConfig>>;
  pChain(): PChainState;
  nowSeconds(): number;
}

/** The configured chains with the present state of the P-Chain, as real nodes see them. */
export function configuredLedger({ chains, pChain, nowSeconds }: ConfiguredChains): Ledger {
  const views = new Map(Object.entries(chains).map(([id, chain]) => [id, viewOf(chain)]));
  return {
    chain: (chainId) => views.get(chainId) ?? null,
    pChainStates() {
      const state = pChain();
      return [{ state, timeSeconds: state.timestamp ?? BigInt(Math.floor(nowSeconds())) }];
    },
  };
}

function viewOf({ vm, messages, blocks, uptimes }: ChainConfig): ChainView {
  const sent = new Set(messages.map((bytes) => bytes.toString("hex")));
  const accepted = new Set(blocks);
  return {
    vm,
    hasMessage: (message) => sent.has(message.toString("hex")),
    hasBlock: (blockId) => accepted.has(blockId),
    uptimeOf: (validationId) => uptimes[validationId],
  };
}
