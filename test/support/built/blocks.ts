import type { RawBlockEntry } from "../../../indexer/primary/raw-blocks/entries.ts";
import type { AtomicBlock } from "../../../indexer/primary/replay/atomic.ts";
import { all, hex, list, type Part, sized, u32, u64, versioned } from "./encoding.ts";
import { type BuiltTransaction, idOf } from "./transactions.ts";

const ZERO = "00".repeat(32);
const entryOf = (seq: number, payload: Part, acceptedAt: number | null = null): RawBlockEntry => ({
  seq,
  isVertex: acceptedAt !== null,
  payload,
  acceptedAt,
});
const bytesOf = (transactions: readonly BuiltTransaction[]) => transactions.map(({ bytes }) => bytes);

/** Blocks of a P-Chain from its first one on: a commit, as on every network. */
export function createPBlocks() {
  const entries: RawBlockEntry[] = [];
  let parentId = ZERO;
  function add(type: number, rest: Part, time?: number): void {
    const height = entries.length;
    const head = all(u32(type), ...(time === undefined ? [] : [u64(time)]));
    const place = all(hex(parentId), u64(height));
    const block = versioned(type === 29 ? all(head, list([]), place, rest) : all(head, place, rest));
    parentId = idOf(block);
    entries.push(entryOf(height, block));
  }
  add(2, new Uint8Array());
  return {
    entries,
    propose: (tx: BuiltTransaction) => add(0, tx.bytes),
    commit: () => add(2, new Uint8Array()),
    abort: () => add(1, new Uint8Array()),
    /** A block from before Banff. */
    add: (...transactions: readonly BuiltTransaction[]) => add(3, list(bytesOf(transactions))),
  };
}

/** Blocks of an X-Chain, from the entry `firstSeq` on. */
export function createXBlocks(firstTime: number, firstSeq = 0) {
  const entries: RawBlockEntry[] = [];
  let parentId = ZERO;
  return {
    entries,
    add(...transactions: readonly BuiltTransaction[]): void {
      const height = entries.length;
      const head = all(u32(20), hex(parentId), u64(height), u64(firstTime + height), hex(ZERO));
      const block = versioned(all(head, list(bytesOf(transactions))));
      parentId = idOf(block);
      entries.push(entryOf(firstSeq + height, block));
    },
  };
}

/** A vertex of an X-Chain. */
export interface BuiltVertex {
  readonly id: string;
  readonly parentIds: readonly string[];
  readonly bytes: Part;
}

export function buildVertex(
  chainId: string,
  height: number,
  parentIds: readonly string[],
  transactions: readonly BuiltTransaction[],
): BuiltVertex {
  const head = all(hex(chainId), u64(height), u32(0), list(parentIds.map(hex)));
  const bytes = versioned(all(head, list(bytesOf(transactions).map((tx) => sized(versioned(tx))))));
  return { id: idOf(bytes), parentIds, bytes };
}

/** Vertices as entries of the raw blocks. All were accepted at the same time. */
export function vertexEntries(vertices: readonly Pick<BuiltVertex, "bytes">[], acceptedAt: number): RawBlockEntry[] {
  return vertices.map(({ bytes }, seq) => entryOf(seq, bytes, acceptedAt));
}

/** A block of a C-Chain with atomic transactions: a list as since Apricot Phase 5, or a single one as before. */
export function atomicBlock(number: number, ...transactions: readonly BuiltTransaction[]): AtomicBlock {
  const [single, ...more] = bytesOf(transactions);
  const extData = single && more.length === 0 ? versioned(single) : versioned(list(bytesOf(transactions)));
  return { number, hash: idOf(u64(number)), timestamp: 1_800_000_000 + number, extData };
}
