import { InvalidValidatorSet } from "./invalid-validator-set.ts";

/** The bit set of indexes: a big-endian number without leading zero bytes, empty without indexes. */
export function encodeBitSet(indexes: Iterable<number>): Uint8Array {
  const all = [...indexes];
  const bytes = Buffer.alloc(Math.floor(Math.max(-8, ...all) / 8) + 1);
  for (const index of all) {
    const at = bytes.length - 1 - (index >> 3);
    bytes[at] = (bytes[at] ?? 0) | (1 << (index & 7));
  }
  return bytes;
}

/**
 * The indexes in a bit set, ascending. Throws `InvalidValidatorSet` if it begins with a zero byte or has an index that is not
 * below the number of validators. Source: avalanchego, utils/set/bits.go.
 */
export function decodeBitSet(bytes: Uint8Array, validatorCount: number): number[] {
  if (bytes[0] === 0) throw new InvalidValidatorSet("the bit set of signers begins with a zero byte");
  const highest = bytes.length * 8 - 1 - Math.clz32((bytes[0] ?? 0) << 24);
  if (highest >= validatorCount)
    throw new InvalidValidatorSet(
      `the bit set of signers has index ${highest}, but there are ${validatorCount} validators`,
    );
  const indexes: number[] = [];
  for (let index = 0; index <= highest; index++) {
    const byte = bytes[bytes.length - 1 - (index >> 3)] ?? 0;
    if (byte & (1 << (index & 7))) indexes.push(index);
  }
  return indexes;
}
