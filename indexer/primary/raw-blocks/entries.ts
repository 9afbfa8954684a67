import { createPartitionsOf } from "../../shared/partitions.ts";
import { copiesOf } from "../../shared/table-rows.ts";
import type { Queries, Session, Writer } from "../../shared/writer.ts";
import type { RawBlockChain } from "../network/chains.ts";

/** A row of `primary_raw_blocks`: a block or vertex, as bytes from the node. */
export interface RawBlockEntry {
  /** P-Chain: the height. X-Chain: the index of a vertex; blocks continue the numbers after the last vertex. */
  readonly seq: number;
  readonly isVertex: boolean;
  /**
   * The container (block with ProposerVM wrapper) if it was read from the node's index, else the block. Block 0 is never in
   * the index.
   */
  readonly payload: Uint8Array;
  /** Time in seconds at which the node accepted it; null if it was not read from the node's index. */
  readonly acceptedAt: number | null;
  /** True if `acceptedAt` of a vertex comes from the file of known times, not from the node. */
  readonly isTimeKnown?: boolean;
}

/** A page ends with the first entry with which it has at least this number of bytes. */
const PAGE_BYTES = 16 << 20;

/** Creates the network's partition of the raw blocks, if it is missing. */
export async function createRawBlockPartition(writer: Pick<Writer, "transaction">, networkId: number): Promise<void> {
  await createPartitionsOf(writer, ["primary_raw_blocks"], networkId);
}

/** Appends entries. The first `seq` must be one more than that of the last stored entry. */
export async function appendEntries(
  session: Session,
  networkId: number,
  chain: RawBlockChain,
  entries: readonly RawBlockEntry[],
): Promise<void> {
  const rows = entries.map(({ seq, isVertex, payload, acceptedAt, isTimeKnown = false }) => ({
    chain,
    seq,
    is_vertex: isVertex,
    payload,
    accepted_at: acceptedAt,
    is_time_known: isTimeKnown,
  }));
  await session.copy(copiesOf("primary_raw_blocks", networkId, rows));
}

const AFTER = `SELECT seq, is_vertex, payload, accepted_at, is_time_known FROM (
    SELECT *, sum(octet_length(payload)) OVER (ORDER BY seq) - octet_length(payload) AS bytes_before FROM (
      SELECT seq, is_vertex, payload, accepted_at, is_time_known FROM primary_raw_blocks
      WHERE network_id = $1 AND chain = $2 AND seq > $3 ORDER BY seq LIMIT $4
    ) following
  ) page WHERE bytes_before < $5 ORDER BY seq`;

/**
 * Returns up to `limit` entries after `seq` (-1: from the first entry), in order, and fewer if they are large. Empty only if
 * there are no more entries.
 */
export async function entriesAfter(
  session: Queries,
  networkId: number,
  chain: RawBlockChain,
  seq: number,
  limit: number,
): Promise<RawBlockEntry[]> {
  const rows = await session.query<{
    seq: string;
    is_vertex: boolean;
    payload: Buffer;
    accepted_at: string | null;
    is_time_known: boolean;
  }>(AFTER, [networkId, chain, seq, limit, PAGE_BYTES]);
  return rows.map(({ seq, is_vertex, payload, accepted_at, is_time_known }) => ({
    seq: Number(seq),
    isVertex: is_vertex,
    payload,
    acceptedAt: accepted_at === null ? null : Number(accepted_at),
    isTimeKnown: is_time_known,
  }));
}
