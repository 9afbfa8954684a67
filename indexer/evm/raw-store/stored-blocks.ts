import { mapYielding } from "../../../core/yield-to-event-loop.ts";
import type { Session } from "../../shared/writer.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { blockPayloads } from "./block-payload.ts";
import type { JournalEntry } from "./journal.ts";
import { storedTraces } from "./raw-traces.ts";

/** The blocks of these entries, which must have payloads, with the stored call trees. */
export async function storedBlocks(
  session: Session,
  chainId: string,
  entries: readonly JournalEntry[],
): Promise<RawBlock[]> {
  const hashes = entries.map(({ blockHash }) => blockHash);
  const traces = await storedTraces(session, chainId, hashes);
  return mapYielding(entries, async ({ payload, blockHash }) => {
    const stored = (await blockPayloads.decode(payload as Buffer)) as Omit<RawBlock, "traces">;
    return { ...stored, traces: traces.get(blockHash) ?? null };
  });
}

/** The journal entry of a block; hashes are hex without `0x`. */
export async function journalEntry(
  { block, receipts }: RawBlock,
  { number, hash, parentHash }: { readonly number: number; readonly hash: string; readonly parentHash: string },
  seq: number,
): Promise<JournalEntry> {
  const payload = await blockPayloads.encode({ block, receipts });
  return { seq, blockNumber: number, blockHash: hash, parentHash, payload };
}
