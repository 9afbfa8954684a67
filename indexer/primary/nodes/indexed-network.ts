import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { type IndexedChain, NOTHING_INDEXED } from "../../shared/several-nodes/contradictions.ts";
import type { Writer } from "../../shared/writer.ts";
import type { IndexedVertices } from "./pooled-vertices.ts";

/** What is indexed of a network, with which its nodes are compared. */
export interface IndexedNetwork {
  readonly chain: (chain: PrimaryChain) => IndexedChain;
  readonly vertices: IndexedVertices;
}

export const NO_INDEXED_NETWORK: IndexedNetwork = {
  chain: () => NOTHING_INDEXED,
  vertices: { count: async () => 0, id: async () => null },
};

const HEAD = "SELECT coalesce(max(block_number), -1) AS value FROM primary_blocks WHERE network_id = $1 AND chain = $2";
const HASH = `SELECT encode(block_hash, 'hex') AS value FROM primary_blocks
  WHERE network_id = $1 AND chain = $2 AND block_number = $3`;
const VERTEX_COUNT = `SELECT coalesce(max(seq), -1) + 1 AS value FROM primary_raw_blocks
  WHERE network_id = $1 AND chain = 'X' AND is_vertex`;
/** The id of a vertex is the hash of its bytes. */
const VERTEX = `SELECT encode(sha256(payload), 'hex') AS value FROM primary_raw_blocks
  WHERE network_id = $1 AND chain = 'X' AND is_vertex AND seq = $2`;

export function indexedNetwork({ transaction }: Pick<Writer, "transaction">, networkId: number): IndexedNetwork {
  const read = async (text: string, ...values: readonly unknown[]): Promise<string | null> => {
    const [row] = await transaction((session) => session.query<{ value: string }>(text, [networkId, ...values]));
    return row?.value ?? null;
  };
  return {
    chain: (chain) => ({
      head: async () => Number(await read(HEAD, chain)),
      hash: (number) => read(HASH, chain, number),
    }),
    vertices: {
      count: async () => Number(await read(VERTEX_COUNT)),
      id: (position) => read(VERTEX, position),
    },
  };
}
