import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { createBatchSize } from "../../follow/batch-size.ts";
import { storeInOrder } from "../../follow/store-in-order.ts";
import { decodeNamed, type GoodPrefix, mapGoodPrefix } from "../../shared/good-prefix.ts";
import { handledLater } from "../../shared/handled-later.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { type DecodedVertex, decodeVertexEntry } from "../decode/entries.ts";
import { checkVertex, stopVertexId } from "../decode/links.ts";
import type { IndexedContainer } from "../fetch/container-index.ts";
import { readVertexTimes, type VertexTimes } from "../fetch/vertex-times.ts";
import type { VertexRange } from "../identify/identify-chain.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { FollowDeps } from "./deps.ts";

/** Indexes the vertices that are missing. Throws `BadUpstreamData` if their parents or the stop vertex do not match. */
export async function catchUpVertices(deps: FollowDeps, range: VertexRange): Promise<void> {
  const { network, source, writer, replay, progress, indexing, signal } = deps;
  const last = range.count - 1;
  const isMissing = replay.heads.X.rawSeq < last;
  const times = await readVertexTimes(isMissing ? deps.settings.vertexTimesFile : undefined);
  progress.update({ nodeBlockNumber: last });
  const size = createBatchSize(indexing.batchBlocks);
  const fetchFrom = (index: number) =>
    index <= last ? handledLater(source.vertices.from(index, Math.min(size.current, range.count - index))) : null;
  let fetching = fetchFrom(replay.heads.X.rawSeq + 1);
  while (fetching) {
    const fetched: readonly IndexedContainer[] = await fetching;
    signal.throwIfAborted();
    const next = replay.heads.X.rawSeq + 1;
    if (fetched.length === 0) throw new NodeUnavailable(`the node's index no longer has vertex ${next}`);
    const decoded = await decodeFetched(network.xChainId, fetched, next, times);
    const checked = await checkParents(writer, network.networkId, decoded.good);
    const failure = checked.failure ?? decoded.failure;
    fetching = failure ? null : fetchFrom(next + fetched.length);
    const write = async (some: readonly DecodedVertex[]) => {
      await replay.acceptDecoded("X", some, { relaxed: true });
      const { rawSeq: last } = replay.heads.X;
      progress.update({ state: "BACKFILLING", reason: null, blockNumber: last, fetchedBlockNumber: last });
    };
    const nameOf = ({ vertex }: DecodedVertex) => `vertex ${formatId(vertex.id)} of the X-Chain`;
    await size.measure(() => storeInOrder(checked.good, { write, nameOf }));
    if (failure) throw failure;
  }
  await writer.transaction((session) => checkStopVertex(session, network, range.stopVertexId));
}

/** Decodes and checks vertices. A time from the file `vertexTimesFile` replaces that of the node's index. */
function decodeFetched(
  xChainId: string,
  fetched: readonly IndexedContainer[],
  firstSeq: number,
  times: VertexTimes,
): Promise<GoodPrefix<DecodedVertex>> {
  return mapGoodPrefix(fetched, ({ id, bytes, acceptedAt }, i) => {
    const entry = { seq: firstSeq + i, isVertex: true, payload: bytes, acceptedAt };
    const decoded = decodeNamed(
      () => `vertex ${formatId(id)} of the X-Chain`,
      () => decodeVertexEntry(entry),
    );
    checkVertex(xChainId, decoded.vertex, id);
    const known = times.get(decoded.vertex.id);
    return known === undefined ? decoded : { ...decoded, entry: { ...entry, acceptedAt: known, isTimeKnown: true } };
  });
}

const STORED = `SELECT encode(vertex_hash, 'hex') AS id FROM x_chain_vertices
  WHERE network_id = $1 AND vertex_hash = ANY (SELECT decode(id, 'hex') FROM unnest($2::text[]) id)`;

/** Checks that every parent of these vertices was accepted before its child, and that no vertex is listed twice. */
export async function checkParents(
  writer: Writer,
  networkId: number,
  decoded: readonly DecodedVertex[],
): Promise<GoodPrefix<DecodedVertex>> {
  if (decoded.length === 0) return { good: [], failure: null };
  const ids = new Set(decoded.flatMap(({ vertex }) => [vertex.id, ...vertex.parentIds]));
  const rows = await writer.transaction((session) => session.query<{ id: string }>(STORED, [networkId, [...ids]]));
  const accepted = new Set(rows.map(({ id }) => id));
  return mapGoodPrefix(decoded, (one) => {
    const { id, parentIds } = one.vertex;
    if (accepted.has(id)) throw new BadUpstreamData(`the node's index lists vertex ${formatId(id)} twice`);
    const missing = parentIds.find((parentId) => !accepted.has(parentId));
    if (missing !== undefined)
      throw new BadUpstreamData(
        `vertex ${formatId(id)} names ${formatId(missing)} as its parent, but no vertex before it has that id`,
      );
    accepted.add(id);
    return one;
  });
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
export async function checkStopVertex(
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
