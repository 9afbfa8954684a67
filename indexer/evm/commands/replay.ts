import type { Session } from "../../shared/writer.ts";
import { lastSeq } from "../raw-store/journal.ts";
import { replayJournal } from "../replay/replay.ts";
import { clearRows, createPartitions } from "../store/tables.ts";
import { asWriter, type CommandDeps, CommandRefused } from "./command.ts";

const REPLAYING = "`npm run replay` makes the chain's rows again: until it ends, later blocks are not served";
const BROKEN_OFF =
  "`npm run replay` was broken off: later blocks are served again when it, or the indexer, has made them";

/**
 * Makes a chain's rows again from its raw block store, without its node. Meanwhile the API serves what is made already, and
 * the chain's progress says so. Resolves with what was done.
 */
export function replayChain({ url, rules, signal }: CommandDeps): Promise<string> {
  const { chainId } = rules;
  return asWriter(url, chainId, async (writer) => {
    await createPartitions(writer, chainId);
    const before = await writer.transaction(async (session) => {
      if ((await lastSeq(session, chainId)) === 0) throw new CommandRefused(`nothing is stored of chain ${chainId}`);
      await clearRows(session, chainId);
      return exchangeProgress(session, chainId, { state: "BACKFILLING", reason: REPLAYING });
    });
    const startedAt = performance.now();
    try {
      const head = await replayJournal({ writer, rules, signal });
      await writer.transaction((session) => exchangeProgress(session, chainId, before));
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      return `chain ${chainId}: ${head.blockNumber + 1} blocks replayed in ${seconds} s; names of its tokens follow when the indexer runs`;
    } catch (error) {
      const after = { state: "WAITING", reason: BROKEN_OFF };
      await writer.transaction((session) => exchangeProgress(session, chainId, after)).catch(() => {});
      throw error;
    }
  });
}

interface Told {
  readonly state: string;
  readonly reason: string | null;
}

/** Has the API tell this of the chain, and returns what it told before. A chain that no indexer has looked at stays unknown. */
async function exchangeProgress(session: Session, chainId: string, { state, reason }: Told): Promise<Told> {
  const [before] = await session.query<{ state: string; reason: string | null }>(
    "SELECT state, reason FROM chain_progress WHERE chain_id = $1 FOR UPDATE",
    [chainId],
  );
  const text = "UPDATE chain_progress SET state = $2, reason = $3 WHERE chain_id = $1";
  await session.query(text, [chainId, state, reason]);
  return before ?? { state, reason };
}
