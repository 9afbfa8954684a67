import { type Database, prepared } from "../../../core/database.ts";
import { type PageTokens, pageOf } from "../../../core/page.ts";
import type { Page } from "../../shared/nested-list.ts";
import { byteaArray, MAX_BIGINT } from "../../shared/rows.ts";
import { byteList, byteListSql } from "../identifiers/byte-lists.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { XChainVertex } from "./types.ts";

export interface VertexPageArgs {
  readonly pageToken?: string | null;
  readonly size: number;
}

export interface VertexStore {
  /** A page, last accepted first. One statement. */
  page(network: ServedNetwork, args: VertexPageArgs): Promise<Page<XChainVertex>>;
  /** The indexed vertices with these IDs (`0x` hex), in any order. */
  byIds(network: ServedNetwork, vertexHashes: readonly string[]): Promise<XChainVertex[]>;
}

interface Row extends Omit<XChainVertex, "network" | "parentHashes" | "txHashes" | "txCount"> {
  readonly parentHashes: string;
  readonly txHashes: string;
}

const COLUMNS = `vertex_hash AS "vertexHash", ${byteListSql("parent_hashes")} AS "parentHashes",
  vertex_height AS "vertexHeight", vertex_index AS "vertexIndex", vertex_timestamp AS "vertexTimestamp",
  ${byteListSql("tx_hashes")} AS "txHashes", size_bytes AS "vertexSizeBytes"`;

/** Statement for a page of vertices before an index, last accepted first. */
export const PAGE = `SELECT ${COLUMNS} FROM x_chain_vertices WHERE network_id = $1 AND vertex_index < $2
  ORDER BY vertex_index DESC LIMIT $3`;

const BY_ID = `SELECT ${COLUMNS} FROM x_chain_vertices WHERE network_id = $1 AND vertex_hash = ANY ($2)`;

export function createVertexStore({ pool }: Pick<Database, "pool">, tokens: PageTokens): VertexStore {
  const page = prepared<Row>(pool, "x-chain-vertices", PAGE);
  const byIds = prepared<Row>(pool, "x-chain-vertices-by-hash", BY_ID);
  return {
    async page(network, { pageToken, size }) {
      const { networkId } = network;
      const [last = MAX_BIGINT] = tokens.read("xChainVertices", [networkId], pageToken) ?? [];
      const { items, nextPageToken } = pageOf(await page([networkId, last, size + 1]), size, ({ vertexIndex }) =>
        tokens.sign("xChainVertices", [networkId], [vertexIndex]),
      );
      return { items: verticesFromRows(network, items), nextPageToken };
    },
    byIds: async (network, vertexHashes) =>
      verticesFromRows(network, await byIds([network.networkId, byteaArray(vertexHashes)])),
  };
}

function verticesFromRows({ network }: ServedNetwork, rows: readonly Row[]): XChainVertex[] {
  return rows.map((row) => {
    const txHashes = byteList(row.txHashes);
    return { ...row, network, parentHashes: byteList(row.parentHashes), txCount: txHashes.length, txHashes };
  });
}
