import { fromBytes } from "ox/Rlp";
import { keccak256 } from "../../../core/formats/keccak.ts";

/** A value of RLP: bytes, or a list of values. */
export type RlpValue = Uint8Array | readonly RlpValue[];

/** Lists are not changed, which the type of the library does not say. */
export const rlp = (value: RlpValue): Uint8Array => fromBytes(value as Parameters<typeof fromBytes>[0]) as Uint8Array;

interface Item {
  /** Half bytes of the key. */
  readonly path: readonly number[];
  readonly value: Uint8Array;
}

/** Nodes that are encoded in less bytes stand in their parent. */
const HASH_BYTES = 32;
const NOTHING = new Uint8Array();

/** Root of the trie of a list, as headers have it of transactions and receipts, in hex with `0x`. The keys are the positions in RLP. */
export function trieRoot(values: readonly Uint8Array[]): string {
  const items = values.map((value, i) => ({ path: nibblesOf(rlp(bytesOfNumber(i))), value }));
  const root = keccak256(rlp(items.length === 0 ? NOTHING : nodeOf(items, 0)));
  return `0x${Buffer.from(root).toString("hex")}`;
}

/** The node of items that have the first `depth` half bytes of their paths in common. No path is the beginning of another one. */
function nodeOf(items: readonly Item[], depth: number): RlpValue {
  const [first] = items as readonly [Item];
  if (items.length === 1) return [packedPath(first.path.slice(depth), true), first.value];
  const end = commonLength(items, depth);
  if (end > depth) return [packedPath(first.path.slice(depth, end), false), referenceOf(nodeOf(items, end))];
  const children = Array.from({ length: 16 }, (_, nibble) => {
    const below = items.filter(({ path }) => path[depth] === nibble);
    return below.length === 0 ? NOTHING : referenceOf(nodeOf(below, depth + 1));
  });
  return [...children, NOTHING];
}

function commonLength(items: readonly Item[], depth: number): number {
  const [{ path }] = items as readonly [Item];
  let end = depth;
  while (items.every((item) => item.path[end] === path[end])) end++;
  return end;
}

function referenceOf(node: RlpValue): RlpValue {
  const encoded = rlp(node);
  return encoded.length < HASH_BYTES ? node : Uint8Array.from(keccak256(encoded));
}

/** A path with the flag of a leaf, as whole bytes. */
function packedPath(path: readonly number[], isLeaf: boolean): Uint8Array {
  const flag = isLeaf ? 2 : 0;
  const nibbles = path.length % 2 === 0 ? [flag, 0, ...path] : [flag + 1, ...path];
  return Uint8Array.from(
    { length: nibbles.length / 2 },
    (_, i) => 16 * (nibbles[2 * i] ?? 0) + (nibbles[2 * i + 1] ?? 0),
  );
}

const nibblesOf = (bytes: Uint8Array): number[] => [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);

/** Without leading zeros: zero has no bytes. */
export function bytesOfNumber(value: number | bigint): Uint8Array {
  if (BigInt(value) === 0n) return NOTHING;
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}
