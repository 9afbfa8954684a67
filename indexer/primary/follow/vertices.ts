import type { Vertex } from "../../../core/codec/blocks/vertices.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import { formatId } from "../../../core/id-text.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { readVertices, stopVertexId } from "../decode/links.ts";
import { readVertexTimes } from "../fetch/vertex-times.ts";
import { entriesOf, type Fetched, type JournalDeps } from "./journal.ts";
import { nextSize, storing } from "./loop.ts";

/** The vertices with which an X-Chain began. */
export interface Dag {
  readonly count: number;
  /** The last vertex, which may be in no index: the parent of block 0. */
  readonly stopVertexId: string;
}

const FIRST_BATCH = 50;

/** Takes in the vertices that are missing. Throws `BadUpstreamData` where their parents or their end do not fit. */
export async function catchUpVertices(deps: JournalDeps, dag: Dag): Promise<void> {
  const { network, source, writer, replay, progress, indexing, signal } = deps;
  const last = dag.count - 1;
  const isMissing = replay.heads.X.journalSeq < last;
  const times = await readVertexTimes(isMissing ? deps.settings.vertexTimesFile : undefined);
  progress.update({ nodeBlockNumber: last });
  let size = Math.min(FIRST_BATCH, indexing.batchBlocks);
  const fetchFrom = (index: number) => {
    const batch = index <= last ? source.vertices.from(index, Math.min(size, dag.count - index)) : null;
    // Awaited one batch later; an error until then is not unhandled.
    batch?.catch(() => {});
    return batch;
  };
  let fetching = fetchFrom(replay.heads.X.journalSeq + 1);
  while (fetching) {
    const fetched: readonly Fetched[] = await fetching;
    signal.throwIfAborted();
    const next = replay.heads.X.journalSeq + 1;
    if (fetched.length === 0) throw new NodeUnavailable(`the node's index has no vertex ${next} any more`);
    const vertices = await readVertices(network.xChainId, fetched);
    await verifyParents(writer, network.networkId, vertices);
    const timed = fetched.map((one, i) => withTime(one, times.get(vertices[i]?.id ?? "")));
    fetching = fetchFrom(next + fetched.length);
    const startedAt = performance.now();
    await storing(`vertices from ${next} on`, () =>
      replay.accept("X", entriesOf(timed, next, true), { relaxed: true }),
    );
    size = nextSize(size, performance.now() - startedAt, indexing.batchBlocks);
    const { journalSeq } = replay.heads.X;
    progress.update({ state: "BACKFILLING", reason: null, blockNumber: journalSeq, fetchedBlockNumber: journalSeq });
  }
  await writer.transaction((session) => verifyEnd(session, network, dag));
}

const withTime = (fetched: Fetched, time: number | undefined): Fetched =>
  fetched.id !== null && time !== undefined ? { ...fetched, acceptedAt: time } : fetched;

/** Every parent of a vertex was accepted before it. */
async function verifyParents(writer: Writer, networkId: number, vertices: readonly Vertex[]): Promise<void> {
  const known = new Set<string>();
  const elsewhere = new Set<string>();
  for (const { id, parentIds } of vertices) {
    for (const parentId of parentIds) if (!known.has(parentId)) elsewhere.add(parentId);
    known.add(id);
  }
  const rows = await writer.transaction((session) =>
    session.query<{ id: string }>(
      `SELECT encode(vertex_hash, 'hex') AS id FROM x_chain_vertices
       WHERE network_id = $1 AND vertex_hash = ANY (SELECT decode(id, 'hex') FROM unnest($2::text[]) id)`,
      [networkId, [...elsewhere]],
    ),
  );
  for (const { id } of rows) elsewhere.delete(id);
  const [missing] = elsewhere;
  if (missing === undefined) return;
  const child = vertices.find(({ parentIds }) => parentIds.includes(missing));
  throw new BadUpstreamData(
    `vertex ${formatId(child?.id ?? "")} names ${formatId(missing)} as its parent, but no vertex before it has that id`,
  );
}

/** The vertices that no other names as its parent. */
const EDGE = `SELECT encode(vertex_hash, 'hex') AS id, vertex_height AS height FROM x_chain_vertices v
  WHERE network_id = $1 AND NOT EXISTS (
    SELECT FROM x_chain_vertices c, unnest(c.parent_hashes) parent WHERE c.network_id = $1 AND parent = v.vertex_hash
  )`;

/** All vertices together make the id of the stop vertex, whether the index has it or not. */
async function verifyEnd(
  session: Session,
  { networkId, xChainId }: JournalDeps["network"],
  dag: Pick<Dag, "stopVertexId">,
): Promise<void> {
  const edge = await session.query<{ id: string; height: string }>(EDGE, [networkId]);
  const ids = edge.map(({ id }) => id);
  if (ids.length === 1 && ids[0] === dag.stopVertexId) return;
  const height = 1 + Math.max(-1, ...edge.map((vertex) => Number(vertex.height)));
  if (stopVertexId(xChainId, height, ids) === dag.stopVertexId) return;
  throw new BadUpstreamData(
    `the node's vertices do not lead to ${formatId(dag.stopVertexId)}, the parent of X-Chain block 0: its index is not whole`,
  );
}
