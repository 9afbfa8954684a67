import { replayJournal } from "../evm/replay.ts";
import { clearRows, createPartitions } from "../evm/store.ts";
import { asWriter, type CommandDeps, CommandRefused } from "./command.ts";

/** Makes a chain's rows again from its raw block store, without its node. Resolves with what was done. */
export function replayChain({ url, rules }: CommandDeps): Promise<string> {
  const { chainId } = rules;
  return asWriter(url, chainId, async (writer) => {
    await createPartitions(writer, chainId);
    await writer.transaction((session) => clearRows(session, chainId));
    const startedAt = performance.now();
    const head = await replayJournal({ writer, rules });
    if (head.blockNumber < 0) throw new CommandRefused(`nothing is stored of chain ${chainId}`);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    return `chain ${chainId}: ${head.blockNumber + 1} blocks replayed in ${seconds} s; names of its tokens follow when the indexer runs`;
  });
}
