import { createPartitionsOf } from "../../shared/partitions.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import type { PrimaryChain } from "../network/chains.ts";

/** The chains that have a journal; atomic transactions of the C-Chain come out of the EVM chain's own. */
export type JournalChain = Exclude<PrimaryChain, "C">;

/** A block or a vertex as the node gave it. */
export interface JournalEntry {
  /** Of the P-Chain the height. Of the X-Chain first the index of the vertex, then on from the last vertex with block 0. */
  readonly seq: number;
  readonly isVertex: boolean;
  /** The container's bytes where the node has an index of the chain (of block 0 it has none), else the block's. */
  readonly payload: Uint8Array;
  /** When the node accepted it, in whole seconds, where its index says so. */
  readonly acceptedAt: number | null;
}

/** Least that a page holds of large entries: so many bytes, and the entry that goes beyond them. */
const PAGE_BYTES = 16 << 20;
const COLUMNS = ["network_id", "chain", "seq", "is_vertex", "payload", "accepted_at"] as const;

/** Makes the network's part of the journal where it is missing. */
export async function createJournal(writer: Pick<Writer, "transaction">, networkId: number): Promise<void> {
  await createPartitionsOf(writer, ["primary_journal"], networkId);
}

/** Appends entries; their numbers must go on from the last one's. */
export async function appendEntries(
  session: Session,
  networkId: number,
  chain: JournalChain,
  entries: readonly JournalEntry[],
): Promise<void> {
  const rows = entries.map(({ seq, isVertex, payload, acceptedAt }) => [
    String(networkId),
    chain,
    String(seq),
    String(isVertex),
    `\\x${Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("hex")}`,
    acceptedAt === null ? null : String(acceptedAt),
  ]);
  await session.copy("primary_journal", COLUMNS, rows);
}

const AFTER = `SELECT seq, is_vertex, payload, accepted_at FROM (
    SELECT *, sum(octet_length(payload)) OVER (ORDER BY seq) - octet_length(payload) AS bytes_before FROM (
      SELECT seq, is_vertex, payload, accepted_at FROM primary_journal
      WHERE network_id = $1 AND chain = $2 AND seq > $3 ORDER BY seq LIMIT $4
    ) following
  ) page WHERE bytes_before < $5 ORDER BY seq`;

/** Up to `limit` entries after `seq` (-1: from the first), in order; fewer where they are large, none only at the end. */
export async function entriesAfter(
  session: Session,
  networkId: number,
  chain: JournalChain,
  seq: number,
  limit: number,
): Promise<JournalEntry[]> {
  const rows = await session.query<{
    seq: string;
    is_vertex: boolean;
    payload: Buffer;
    accepted_at: string | null;
  }>(AFTER, [networkId, chain, seq, limit, PAGE_BYTES]);
  return rows.map(({ seq, is_vertex, payload, accepted_at }) => ({
    seq: Number(seq),
    isVertex: is_vertex,
    payload,
    acceptedAt: accepted_at === null ? null : Number(accepted_at),
  }));
}
