import type { Database } from "../../../core/database/database.ts";
import { preparedList, primaryHead } from "../../../core/database/database.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import type { Page } from "../../shared/rows/nested-list.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { bytes, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { byteList, byteListSql } from "../identifiers/byte-lists.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { XChainVertex } from "./types.ts";

export interface VertexPageArgs {
  readonly pageToken?: string | null;
  readonly size: number;
}

interface VertexKey {
  readonly networkId: string;
  readonly vertexHash: string;
}

export interface VertexStore {
  /** A page, last accepted first. One statement. */
  page(network: ServedNetwork, args: VertexPageArgs, work: Work): Promise<Page<XChainVertex>>;
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

/** Statement for a page of vertices before an index, last accepted first. */
export const PAGE = `SELECT ${COLUMNS} FROM x_chain_vertices WHERE network_id = $1 AND vertex_index < $2
  ORDER BY vertex_index DESC LIMIT $3`;

export function createVertexStore(
  { pool, prisma }: Pick<Database, "pool" | "prisma">,
  tokens: PageTokens,
): VertexStore {
  const page = preparedList<Row>(pool, "x-chain-vertices", PAGE, primaryHead("'X'"));
  const byIds = createRowsById(prisma, {
    partitionOf: ({ networkId }: VertexKey) => networkId,
    idOf: ({ vertexHash }) => bytes(vertexHash),
    findMany: ({ xChainVertex }, networkId, vertexHashes) =>
      xChainVertex.findMany({ where: { networkId, vertexHash: { in: vertexHashes } } }),
  });
  return {
    async page(network, args, work) {
      const { networkId } = network;
      const { items, nextPageToken } = await readListPage(tokens, {
        list: "xChainVertices",
        parameters: [networkId],
        page: args,
        start: [MAX_BIGINT],
        read: ([last]) => page([networkId, last, args.size + 1], work),
        positionOf: ({ vertexIndex }) => [vertexIndex],
      });
      return { items: verticesFromRows(network, items), nextPageToken };
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
