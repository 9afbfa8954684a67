import { sha256 } from "../bytes/hashes.ts";
import { constant, decode, id, integer, list, sized, struct, u32, type ValueOf, versions } from "../bytes/layout.ts";
import { versionedXTransaction, type XTransaction } from "../transactions/x-transactions.ts";

const NO_TRANSACTIONS: readonly XTransaction[] = [];

const layout = versions({
  0: struct({
    isStopVertex: constant(false),
    chainId: id,
    height: integer,
    epoch: u32,
    parentIds: list(id),
    transactions: list(sized(versionedXTransaction)),
  }),
  1: struct({
    isStopVertex: constant(true),
    chainId: id,
    height: integer,
    epoch: constant(0),
    parentIds: list(id),
    transactions: constant(NO_TRANSACTIONS),
  }),
});

/** A vertex of the X-Chain from before Cortina. The last one, the stop vertex, is the parent of X block 0. */
export type Vertex = ValueOf<typeof layout> & {
  /** SHA-256 of its bytes. */
  readonly id: string;
  /** Length in bytes. */
  readonly size: number;
};

/** Decodes a vertex as the node's index of vertices returns it. Throws `BadUpstreamData`. */
export function decodeVertex(bytes: Uint8Array): Vertex {
  return { ...decode(layout, bytes, "X-Chain vertex"), id: sha256(bytes), size: bytes.byteLength };
}
