import type { EncodedCopy } from "../../shared/copy-query.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import { copiesOf } from "../../shared/table-rows.ts";
import type { Queries, Session } from "../../shared/writer.ts";
import type { BlockTraces } from "../wire/call-trees.ts";
import { TRACE_DICTIONARY } from "./dictionary.ts";
import { createPayloadCodec } from "./payload.ts";

const payloads = createPayloadCodec(TRACE_DICTIONARY);

/** The call trees of a block as they are stored. */
export interface TraceEntry {
  readonly blockNumber: number;
  /** Hex without `0x`. */
  readonly blockHash: string;
  readonly payload: Buffer;
}

/** Null if the block's call trees are not known. */
export async function traceEntry(
  { number, hash }: { readonly number: number; readonly hash: string },
  traces: BlockTraces | null,
): Promise<TraceEntry | null> {
  return traces && { blockNumber: number, blockHash: hash, payload: await payloads.encode(traces) };
}

/** Stores call trees, except of blocks that already have them: a reorganisation may return to an earlier branch. */
export async function appendTraces(
  session: Session,
  chainId: string,
  entries: readonly (TraceEntry | null)[],
): Promise<void> {
  await session.copy(await copiesOfTraces(session, chainId, entries));
}

/** The rows that `appendTraces` inserts. */
export async function copiesOfTraces(
  session: Session,
  chainId: string,
  entries: readonly (TraceEntry | null)[],
): Promise<EncodedCopy[]> {
  const present = entries.filter((entry) => entry !== null);
  if (present.length === 0) return [];
  const stored = await tracedHashes(
    session,
    chainId,
    present.map(({ blockHash }) => blockHash),
  );
  const rows = present
    .filter(({ blockHash }) => !stored.has(blockHash))
    .map(({ blockNumber, blockHash, payload }) => ({ block_hash: blockHash, block_number: blockNumber, payload }));
  return copiesOf("raw_traces", chainId, rows);
}

/** The given hashes (hex without `0x`) of blocks whose call trees are stored. */
export async function tracedHashes(session: Queries, chainId: string, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await session.query<{ hash: string }>(
    "SELECT encode(block_hash, 'hex') AS hash FROM raw_traces WHERE chain_id = $1 AND block_hash = ANY ($2::bytea[])",
    [chainId, hashes.map(pgBytes)],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** The stored call trees of the blocks, compressed, by hash (hex without `0x`); blocks without stored call trees are left out. */
export async function compressedTraces(
  session: Queries,
  chainId: string,
  hashes: readonly string[],
): Promise<Map<string, Buffer>> {
  const rows = await session.query<{ hash: string; payload: Buffer }>(
    "SELECT encode(block_hash, 'hex') AS hash, payload FROM raw_traces WHERE chain_id = $1 AND block_hash = ANY ($2::bytea[])",
    [chainId, hashes.map(pgBytes)],
  );
  return new Map(rows.map(({ hash, payload }) => [hash, payload]));
}

export async function decompressedTraces(payload: Buffer): Promise<BlockTraces> {
  return (await payloads.decode(payload)) as BlockTraces;
}
