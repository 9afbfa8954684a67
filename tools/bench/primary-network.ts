import { decodePBlock } from "../../core/formats/codec/blocks/p-blocks.ts";
import { summariseGenesis } from "../../indexer/primary/genesis/genesis-summary.ts";
import { networkFacts } from "../../indexer/primary/network/network.ts";
import { defaultRules } from "../../indexer/primary/network/rules.ts";
import { createJournal } from "../../indexer/primary/raw-store/journal.ts";
import { openReplay } from "../../indexer/primary/replay/replay.ts";
import { tryBecomeWriter } from "../../indexer/shared/writer.ts";
import { syntheticPBlocks, syntheticPBlockZero } from "./synthetic/p-chain.ts";
import type { Line } from "./table.ts";

const MAINNET = 1;
const BLOCKS = 20_000;
const BATCH = 1_000;

/**
 * Replays a synthetic P-Chain on the genesis of mainnet into the tables and the raw block store. Returns blocks per second,
 * without fetching.
 */
export async function measurePReplay(url: string): Promise<number> {
  const network = networkFacts(MAINNET, summariseGenesis(MAINNET).platformBytes(), defaultRules(MAINNET));
  const zero = syntheticPBlockZero(network);
  const blocks = [...syntheticPBlocks(network, decodePBlock(zero).id, BLOCKS)];
  const writer = await tryBecomeWriter(url, "bench of the primary network");
  if (!writer) throw new Error("the bench's database has another writer");
  try {
    await createJournal(writer, network.networkId);
    const replay = await openReplay({ writer, network });
    await replay.accept("P", [{ seq: 0, isVertex: false, payload: zero, acceptedAt: null }]);
    const replayedAt = performance.now();
    for (let from = 0; from < blocks.length; from += BATCH) {
      const batch = blocks.slice(from, from + BATCH).map((payload, i) => ({
        seq: 1 + from + i,
        isVertex: false,
        payload,
        acceptedAt: null,
      }));
      await replay.accept("P", batch, { relaxed: true });
    }
    return (BLOCKS * 1_000) / (performance.now() - replayedAt);
  } finally {
    await writer[Symbol.asyncDispose]();
  }
}

export function replayLines(blocksPerSecond: number): Line[] {
  return [
    ["replaying", "", "blocks/s"],
    ["P-Chain", "synthetic blocks in memory", Math.round(blocksPerSecond).toLocaleString("en")],
  ];
}
