import type { Database } from "../../../core/database/database.ts";
import { primaryHead } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { descending } from "../../shared/rows/keyset.ts";
import { countConsecutive, createListReader, type ListSelect } from "../../shared/rows/list-reader.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { bytes } from "../../shared/rows/text-rows.ts";
import { byteList, byteListSql } from "../identifiers/byte-lists.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { XChainVertex } from "./types.ts";

interface VertexKey {
  readonly networkId: string;
  readonly vertexHash: string;
}

export interface VertexStore {
  /** A page, last accepted first. One statement. */
  page(network: ServedNetwork, args: PageRange, work: Work): Promise<Page<XChainVertex>>;
  /** The indexed vertices with these IDs (`0x` hex), in any order. */
  byIds(network: ServedNetwork, vertexHashes: readonly string[], work: Work): Promise<XChainVertex[]>;
}

interface Row
  extends Omit<
    XChainVertex,
    "network" | "isTimestampEstimated" | "earliestTimestamp" | "parentHashes" | "txHashes" | "txCount"
  > {
  /** Null if the time is exact. */
  readonly earliest: string | null;
  readonly parentHashes: string;
  readonly txHashes: string;
}

const COLUMNS = `vertex_hash AS "vertexHash", ${byteListSql("parent_hashes")} AS "parentHashes",
  vertex_height AS "vertexHeight", vertex_index AS "vertexIndex", vertex_timestamp AS "vertexTimestamp",
  earliest_timestamp AS earliest,
  ${byteListSql("tx_hashes")} AS "txHashes", size_bytes AS "vertexSizeBytes"`;

/** A page of vertices, last accepted first. */
export const PAGE: ListSelect = {
  order: descending({ vertex_index: "bigint" }),
  positionAt: 2,
  select: ({ after, orderBy }) => `SELECT ${COLUMNS} FROM x_chain_vertices t WHERE t.network_id = $1 AND ${after()}
    ORDER BY ${orderBy()} LIMIT $3`,
};

export function createVertexStore(
  { pool, prisma }: Pick<Database, "pool" | "prisma">,
  tokens: PageTokens,
): VertexStore {
  const vertices = createListReader<Row>(pool, { ...PAGE, name: "x-chain-vertices", head: primaryHead("'X'") });
  const byIds = createRowsById(prisma, {
    partitionOf: ({ networkId }: VertexKey) => networkId,
    idOf: ({ vertexHash }) => bytes(vertexHash),
    findMany: ({ xChainVertex }, networkId, vertexHashes) =>
      xChainVertex.findMany({ where: { networkId, vertexHash: { in: vertexHashes } } }),
  });
  return {
    async page(network, args, work) {
      const { networkId } = network;
      const values = ({ position, limit }: PageFrom) => [networkId, ...position, limit];
      const page = await readListPage(tokens, {
        list: "xChainVertices",
        parameters: [networkId],
        page: args,
        ends: vertices.ends,
        read: (from) => vertices.read(values, from, work),
        count: () => countConsecutive(vertices, values, ({ vertexIndex }) => vertexIndex, work),
        positionOf: ({ vertexIndex }) => [vertexIndex],
      });
      return page.withNodes(verticesFromRows(network, page.nodes));
    },
    async byIds(network, vertexHashes, work) {
      const keys = vertexHashes.map((vertexHash) => ({ networkId: network.networkId, vertexHash }));
      const rows = await byIds(keys, work);
      return rows.map(({ networkId: _, sizeBytes, earliestTimestamp, ...row }) => ({
        ...row,
        ...certaintyOf(row.vertexTimestamp, earliestTimestamp),
        network: network.network,
        txCount: row.txHashes.length,
        vertexSizeBytes: sizeBytes,
      }));
    },
  };
}

function verticesFromRows({ network }: ServedNetwork, rows: readonly Row[]): XChainVertex[] {
  return rows.map(({ earliest, ...row }) => {
    const txHashes = byteList(row.txHashes);
    const certainty = certaintyOf(row.vertexTimestamp, earliest);
    return {
      ...row,
      ...certainty,
      network,
      parentHashes: byteList(row.parentHashes),
      txCount: txHashes.length,
      txHashes,
    };
  });
}

function certaintyOf(timestamp: string, earliest: string | null) {
  return { isTimestampEstimated: earliest !== null, earliestTimestamp: earliest ?? timestamp };
}
