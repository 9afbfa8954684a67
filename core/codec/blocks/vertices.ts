import { sha256 } from "../bytes/hashes.ts";
import { constant, decode, id, integer, list, type Read, sized, struct, u32, versions } from "../bytes/layout.ts";
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

/** A vertex of the X-Chain before Cortina. The stop vertex, the last one, is the parent of X block 0. */
export type Vertex = Read<typeof layout> & {
  /** SHA-256 of its bytes. */
  readonly id: string;
  /** Length in bytes. */
  readonly size: number;
};

/** Reads a vertex, as the index of vertices gives it. */
export function decodeVertex(bytes: Uint8Array): Vertex {
  return { ...decode(layout, bytes, "X-Chain vertex"), id: sha256(bytes), size: bytes.byteLength };
}
