import type { Session } from "../../shared/writer.ts";
import { lastSeq } from "../raw-blocks/entries.ts";
import { replayRawBlocks } from "../replay/replay.ts";
import { createFirstPartitions } from "../store/partitions-on-demand.ts";
import { clearRows } from "../store/roll-back.ts";
import { asWriter, type CommandDeps, CommandRefused } from "./command.ts";

const REPLAYING = "`moraine replay` is replaying the chain's rows; a block is not served until its rows are replayed";
const INTERRUPTED =
  "`moraine replay` was interrupted: run it again, or start the indexer, to serve the remaining blocks again";

/**
 * Deletes a chain's rows and computes them again from its raw blocks, without its node. During the replay, the API serves
 * the blocks that are already replayed, and the chain's progress says that the replay runs. Resolves with a line about the
 * result. Rejects with `CommandRefused` while an indexer writes the chain, and if no block is stored.
 */
export function replayChain({ url, rules, signal }: CommandDeps): Promise<string> {
  const { chainId } = rules;
  return asWriter(url, chainId, async (writer) => {
    await createFirstPartitions(writer, chainId);
    const before = await writer.transaction(async (session) => {
      if ((await lastSeq(session, chainId)) === 0)
        throw new CommandRefused(`no block of chain ${chainId} is stored: there is nothing to replay`);
      await clearRows(session, chainId);
      return exchangeProgress(session, chainId, { state: "BACKFILLING", reason: REPLAYING });
    });
    const startedAt = performance.now();
    try {
      const head = await replayRawBlocks({ writer, rules, signal });
      await writer.transaction((session) => exchangeProgress(session, chainId, before));
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      return `chain ${chainId}: ${head.blockNumber + 1} blocks replayed in ${seconds} s; the indexer adds the names of tokens when it runs`;
    } catch (error) {
      const interrupted = { state: "WAITING", reason: INTERRUPTED };
      await writer.transaction((session) => exchangeProgress(session, chainId, interrupted)).catch(() => {});
      throw error;
    }
  });
}

interface ShownProgress {
  readonly state: string;
  readonly reason: string | null;
}

/** Sets the progress that the API shows, and returns the previous one. Does nothing if no indexer has stored a progress. */
async function exchangeProgress(
  session: Session,
  chainId: string,
  { state, reason }: ShownProgress,
): Promise<ShownProgress> {
  const [before] = await session.query<{ state: string; reason: string | null }>(
    "SELECT state, reason FROM chain_progress WHERE chain_id = $1 FOR UPDATE",
    [chainId],
  );
  const text = "UPDATE chain_progress SET state = $2, reason = $3 WHERE chain_id = $1";
  await session.query(text, [chainId, state, reason]);
  return before ?? { state, reason };
}
