import { BadUpstreamData } from "../../core/errors/errors.ts";
import { COLUMNS } from "../../prisma/columns.ts";
import { decodeBlock, decodeVertexEntry } from "../primary/decode/entries.ts";
import { nextTip } from "../primary/decode/links.ts";
import type { RawBlockChain } from "../primary/network/chains.ts";
import {
  appendEntries,
  createRawBlockPartition,
  entriesAfter,
  type RawBlockEntry,
} from "../primary/raw-blocks/entries.ts";
import type { ChainStore } from "./chain-store.ts";
import type { Tip } from "./manifest.ts";

/** A row of `primary_raw_blocks`, as `unpackRows` returns it. */
export interface PrimaryRow {
  readonly chain: string;
  readonly seq: number;
  readonly is_vertex: boolean;
  readonly payload: Buffer;
  readonly accepted_at: number | null;
  readonly is_time_known: boolean;
}

export const PRIMARY_COLUMNS = COLUMNS.primary_raw_blocks;

const PAGE = 1_000;
const LAST = "SELECT coalesce(max(seq), -1) AS last FROM primary_raw_blocks WHERE network_id = $1 AND chain = $2";
const KNOWN = `SELECT f.i AS file, count(j.seq) AS known FROM unnest($2::int[], $3::bigint[], $4::bigint[]) AS f(i, since, until)
  LEFT JOIN primary_raw_blocks j ON j.network_id = $1 AND j.chain = 'X' AND j.seq BETWEEN f.since AND f.until AND j.is_time_known
  GROUP BY f.i`;

export const entryOf = (row: PrimaryRow): RawBlockEntry => ({
  seq: row.seq,
  isVertex: row.is_vertex,
  payload: row.payload,
  acceptedAt: row.accepted_at,
  isTimeKnown: row.is_time_known,
});

/** The blocks and vertices of the P- or X-Chain of a primary network. They are never replaced. */
export function createPrimaryStore(id: string, chain: RawBlockChain): ChainStore<PrimaryRow> {
  const networkId = Number(id);
  return {
    key: { table: "primary_raw_blocks", id, chain },
    columns: PRIMARY_COLUMNS,
    async last(session) {
      const [row] = await session.query<{ last: string }>(LAST, [networkId, chain]);
      return Number(row?.last ?? -1);
    },
    async read(session, from, to) {
      const entries = await entriesAfter(session, networkId, chain, from - 1, Math.min(PAGE, to - from + 1));
      return entries.map(({ seq, isVertex, payload, acceptedAt, isTimeKnown = false }) => ({
        chain,
        seq,
        is_vertex: isVertex,
        payload: payload as Buffer,
        accepted_at: acceptedAt,
        is_time_known: isTimeKnown,
      }));
    },
    isCurrent: async () => true,
    async changed(session, files) {
      // Only vertices have known times.
      const ofVertices =
        chain === "X" ? files.filter(({ tip }, i) => tip === null || (files[i - 1]?.tip ?? null) === null) : [];
      const values = [ofVertices.map((_, i) => i), ofVertices.map(({ from }) => from), ofVertices.map(({ to }) => to)];
      const counts = await session.query<{ file: number; known: string }>(KNOWN, [networkId, ...values]);
      return new Set(
        counts.flatMap(({ file, known }) => {
          const found = ofVertices[file];
          return found && Number(known) !== found.mark ? [found] : [];
        }),
      );
    },
    positionOf: ({ seq }) => seq,
    isMarked: ({ is_time_known }) => is_time_known,
    bytesOf: ({ payload }) => payload.length,
    follow: (tip, row) => followPrimary(chain, tip, row),
    prepare: (writer) => createRawBlockPartition(writer, networkId),
    insert: (session, rows) => appendEntries(session, networkId, chain, rows.map(entryOf)),
  };
}

/** Checks that a block follows the last one by its height and the ids that it names. The parents of vertices are not checked. */
function followPrimary(chain: RawBlockChain, tip: Tip | null, row: PrimaryRow): Tip | null {
  const entry = entryOf(row);
  if (row.is_vertex) {
    if (tip !== null) throw new BadUpstreamData(`vertex ${row.seq} comes after a block`);
    decodeVertexEntry(entry);
    return null;
  }
  const { block, proposer } = decodeBlock(chain, entry);
  // The parent of the first block is a genesis or a vertex.
  const first = { height: -1, blockId: block.parentId, containerId: proposer?.parentId ?? block.parentId };
  return nextTip(chain, tip ?? first, block, proposer, null);
}
