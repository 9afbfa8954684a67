import { formatId } from "../../core/formats/id-text.ts";
import { EMPTY_ID } from "../validator-sim/config.ts";
import type { ChainView, Ledger, PChainView } from "../validator-sim/signing/ledger.ts";
import { type PChainMoment, pChainHistory } from "./p-chain-history.ts";
import type { RecordedChain, RecordedContents } from "./recorded-contents.ts";

/**
 * Returns a ledger of what the recorded chains contain at the time `nowMs()`. Unlike real nodes, validators with this ledger sign
 * P-Chain messages that were true after any accepted block, so that there are signatures for every transaction of the recording.
 */
export function recordedLedger({ pBlocks, chains }: RecordedContents, nowMs: () => number): Ledger {
  const history = pChainHistory(pBlocks).reverse();
  const views = new Map(chains.map((chain) => [chain.blockchainId, chainView(chain, nowMs)]));
  return {
    chain: (chainId) => views.get(chainId) ?? null,
    pChainStates: () => statesUntil(history, nowMs()),
  };
}

/**
 * Yields each state up to `nowMs` once, newest first. If several blocks have the same state, it yields the newest of them.
 * `history` must begin with the newest block.
 */
function* statesUntil(history: readonly PChainMoment[], nowMs: number): Iterable<PChainView> {
  let last: PChainView["state"] | undefined;
  for (const moment of history) {
    if (moment.arrivesAtMs > nowMs || moment.state === last) continue;
    last = moment.state;
    yield moment;
  }
}

function chainView({ subnetId, isEvm, messages, blocks }: RecordedChain, nowMs: () => number): ChainView {
  const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  const sentAtMs = new Map(messages.map(({ bytes, arrivesAtMs }) => [hexOf(bytes), arrivesAtMs]));
  const acceptedAtMs = new Map(blocks.map(({ hash, arrivesAtMs }) => [formatId(hash), arrivesAtMs]));
  const hasArrived = (atMs: number | undefined) => atMs !== undefined && atMs <= nowMs();
  const evm = subnetId === EMPTY_ID ? "coreth" : "subnet-evm";
  return {
    vm: isEvm ? evm : "none",
    hasMessage: (message) => hasArrived(sentAtMs.get(hexOf(message))),
    hasBlock: (blockId) => hasArrived(acceptedAtMs.get(blockId)),
    // The recording has no uptimes.
    uptimeOf: () => undefined,
  };
}
