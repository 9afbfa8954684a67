import type { Session } from "../../shared/writer.ts";
import { mapBlocks } from "../batches.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { blockPayloads } from "./block-payload.ts";
import type { RawBlockEntry } from "./entries.ts";
import { compressedTraces, decompressedTraces } from "./raw-traces.ts";

/** A block as the raw blocks keep it. */
export interface CompressedBlock {
  readonly payload: Buffer;
  /** Null if the call trees are not stored. */
  readonly traces: Buffer | null;
}

/** Reads the call trees of the blocks of these entries, which must have payloads. */
export async function compressedBlocks(
  session: Session,
  chainId: string,
  entries: readonly RawBlockEntry[],
): Promise<CompressedBlock[]> {
  const hashes = entries.map(({ blockHash }) => blockHash);
  const traces = await compressedTraces(session, chainId, hashes);
  return entries.map(({ payload, blockHash }) => ({
    payload: payload as Buffer,
    traces: traces.get(blockHash) ?? null,
  }));
}

/** Needs no database. Takes most of the time of reading blocks, so other statements may run meanwhile. */
export async function decompressed(blocks: readonly CompressedBlock[]): Promise<RawBlock[]> {
  return mapBlocks(blocks, async ({ payload, traces }) => {
    const stored = (await blockPayloads.decode(payload)) as Omit<RawBlock, "traces">;
    return { ...stored, traces: traces && (await decompressedTraces(traces)) };
  });
}

/** The blocks of these entries, which must have payloads, with the stored call trees. */
export async function storedBlocks(
  session: Session,
  chainId: string,
  entries: readonly RawBlockEntry[],
): Promise<RawBlock[]> {
  return decompressed(await compressedBlocks(session, chainId, entries));
}

/** The entry of a block; hashes are hex without `0x`. */
export async function rawBlockEntry(
  { block, receipts }: RawBlock,
  { number, hash, parentHash }: { readonly number: number; readonly hash: string; readonly parentHash: string },
  seq: number,
): Promise<RawBlockEntry> {
  const payload = await blockPayloads.encode({ block, receipts });
  return { seq, blockNumber: number, blockHash: hash, parentHash, payload };
}
