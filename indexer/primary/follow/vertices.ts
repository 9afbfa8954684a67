import type { Vertex } from "../../../core/codec/blocks/vertices.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import { formatId } from "../../../core/id-text.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { type DecodedVertex, decodeVertices } from "../decode/entries.ts";
import { checkVertex, stopVertexId } from "../decode/links.ts";
import type { IndexedContainer } from "../fetch/container-index.ts";
import { readVertexTimes, type VertexTimes } from "../fetch/vertex-times.ts";
import type { VertexRange } from "../identify/identify-chain.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { FollowDeps } from "./deps.ts";
import { nextSize, storing } from "./loop.ts";

const FIRST_BATCH = 50;

/** Indexes the vertices that are missing. Throws `BadUpstreamData` if their parents or the stop vertex do not match. */
export async function catchUpVertices(deps: FollowDeps, range: VertexRange): Promise<void> {
  const { network, source, writer, replay, progress, indexing, signal } = deps;
  const last = range.count - 1;
  const isMissing = replay.heads.X.journalSeq < last;
  const times = await readVertexTimes(isMissing ? deps.settings.vertexTimesFile : undefined);
  progress.update({ nodeBlockNumber: last });
  let size = Math.min(FIRST_BATCH, indexing.batchBlocks);
  const fetchFrom = (index: number) => {
    const batch = index <= last ? source.vertices.from(index, Math.min(size, range.count - index)) : null;
    // The batch is awaited after the next write; without this an earlier failure counts as unhandled.
    batch?.catch(() => {});
    return batch;
  };
  let fetching = fetchFrom(replay.heads.X.journalSeq + 1);
  while (fetching) {
    const fetched: readonly IndexedContainer[] = await fetching;
    signal.throwIfAborted();
    const next = replay.heads.X.journalSeq + 1;
    if (fetched.length === 0) throw new NodeUnavailable(`the node's index no longer has vertex ${next}`);
    const decoded = await decodeFetched(network.xChainId, fetched, next, times);
    await checkParents(
      writer,
      network.networkId,
      decoded.map(({ vertex }) => vertex),
    );
    fetching = fetchFrom(next + fetched.length);
    const startedAt = performance.now();
    await storing(
      decoded,
      ({ vertex }) => `vertex ${formatId(vertex.id)} of the X-Chain`,
      (some) => replay.acceptDecoded("X", some, { relaxed: true }),
    );
    size = nextSize(size, performance.now() - startedAt, indexing.batchBlocks);
    const { journalSeq } = replay.heads.X;
    progress.update({ state: "BACKFILLING", reason: null, blockNumber: journalSeq, fetchedBlockNumber: journalSeq });
  }
  await writer.transaction((session) => checkStopVertex(session, network, range.stopVertexId));
}

/** Decodes and checks vertices. A time from the file `vertexTimesFile` replaces that of the node's index. */
async function decodeFetched(
  xChainId: string,
  fetched: readonly IndexedContainer[],
  firstSeq: number,
  times: VertexTimes,
): Promise<DecodedVertex[]> {
  const entries = fetched.map(({ bytes, acceptedAt }, i) => ({
    seq: firstSeq + i,
    isVertex: true,
    payload: bytes,
    acceptedAt,
  }));
  const decoded = await decodeVertices(entries);
  return decoded.map(({ entry, vertex }, i) => {
    checkVertex(xChainId, vertex, fetched[i]?.id ?? null);
    const known = times.get(vertex.id);
    return { entry: known === undefined ? entry : { ...entry, acceptedAt: known, isTimeKnown: true }, vertex };
  });
}

/** Checks that every parent of these vertices was accepted before its child, and that no vertex is listed twice. */
async function checkParents(writer: Writer, networkId: number, vertices: readonly Vertex[]): Promise<void> {
  const seen = new Set<string>();
  const notInBatch = new Set<string>();
  for (const { id, parentIds } of vertices) {
    if (seen.has(id)) throw new BadUpstreamData(`the node's index lists vertex ${formatId(id)} twice`);
    for (const parentId of parentIds) if (!seen.has(parentId)) notInBatch.add(parentId);
    seen.add(id);
  }
  const rows = await writer.transaction((session) =>
    session.query<{ id: string }>(
      `SELECT encode(vertex_hash, 'hex') AS id FROM x_chain_vertices
       WHERE network_id = $1 AND vertex_hash = ANY (SELECT decode(id, 'hex') FROM unnest($2::text[]) id)`,
      [networkId, [...notInBatch, ...seen]],
    ),
  );
  for (const { id } of rows) {
    if (seen.has(id)) throw new BadUpstreamData(`the node's index lists vertex ${formatId(id)} twice`);
    notInBatch.delete(id);
  }
  const [missing] = notInBatch;
  if (missing === undefined) return;
  const child = vertices.find(({ parentIds }) => parentIds.includes(missing));
  throw new BadUpstreamData(
    `vertex ${formatId(child?.id ?? "")} names ${formatId(missing)} as its parent, but no vertex before it has that id`,
  );
}

/** The vertices that no other vertex names as its parent. */
const CHILDLESS = `SELECT encode(vertex_hash, 'hex') AS id, vertex_height AS height FROM x_chain_vertices v
  WHERE network_id = $1 AND NOT EXISTS (
    SELECT FROM x_chain_vertices c, unnest(c.parent_hashes) parent WHERE c.network_id = $1 AND parent = v.vertex_hash
  )`;

/**
 * Checks that the indexed vertices end at the stop vertex. It is the only vertex without a child or, if the node's index lacks it,
 * its id is computed from all vertices without a child.
 */
async function checkStopVertex(
  session: Session,
  { networkId, xChainId }: NetworkFacts,
  expected: string,
): Promise<void> {
  const childless = await session.query<{ id: string; height: string }>(CHILDLESS, [networkId]);
  const ids = childless.map(({ id }) => id);
  if (ids.length === 1 && ids[0] === expected) return;
  const height = 1 + Math.max(-1, ...childless.map((vertex) => Number(vertex.height)));
  if (stopVertexId(xChainId, height, ids) === expected) return;
  throw new BadUpstreamData(
    `the stop vertex computed from the node's vertices is not ${formatId(expected)}, the parent of X-Chain block 0: the node's index is incomplete`,
  );
}
