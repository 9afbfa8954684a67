import { createHash, randomBytes } from "node:crypto";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { delimited, readFields } from "./fields.ts";

/** What a peer knows already (avalanchego: `p2p.BloomFilter`). */
export interface BloomFilter {
  readonly filter: Uint8Array;
  readonly salt: Uint8Array;
}

const HASHES = 7;
/** Gives about 1 % false positives with seven hashes. */
const BITS_PER_KEY = 10;
const SALT_BYTES = 32;
const MAX_SALT_BYTES = 32;
const MAX_HASHES = 16;
const SEED_BYTES = 8;
const ROTATION = 17n;
const MASK = (1n << 64n) - 1n;

/** A filter that keys can be added to. */
export interface GrowingFilter {
  add(key: Uint8Array): void;
  value(): BloomFilter;
}

/**
 * An empty filter, good for `capacity` keys (avalanchego: utils/bloom). Seeds and salt are random: another filter has other false
 * positives.
 */
export function createBloomFilter(capacity: number): GrowingFilter {
  const salt = randomBytes(SALT_BYTES);
  const seedBytes = randomBytes(HASHES * SEED_BYTES);
  const seeds = Array.from({ length: HASHES }, (_, index) => seedBytes.readBigUInt64BE(index * SEED_BYTES));
  const entries = Buffer.alloc(Math.max(1, Math.ceil((capacity * BITS_PER_KEY) / 8)));
  const bits = BigInt(entries.length * 8);
  return {
    add(key) {
      let hash = createHash("sha256").update(key).update(salt).digest().readBigUInt64BE();
      for (const seed of seeds) {
        hash = (((hash << ROTATION) & MASK) | (hash >> (64n - ROTATION))) ^ seed;
        const bit = Number(hash % bits);
        entries[bit >> 3] = (entries[bit >> 3] ?? 0) | (1 << (bit & 7));
      }
    },
    value: () => ({ filter: Buffer.concat([Buffer.of(HASHES), seedBytes, entries]), salt }),
  };
}

/** True if nodes accept the filter: 1 to 16 seeds, then at least one byte; a salt of at most 32 bytes. */
export function isBloomFilterValid({ filter, salt }: BloomFilter): boolean {
  const hashes = filter[0] ?? 0;
  return (
    salt.length <= MAX_SALT_BYTES && hashes >= 1 && hashes <= MAX_HASHES && filter.length >= 1 + hashes * SEED_BYTES + 1
  );
}

export function encodeBloomFilter({ filter, salt }: BloomFilter): Uint8Array {
  return new BinaryWriter().uint32(delimited(1)).bytes(filter).uint32(delimited(2)).bytes(salt).finish();
}

export function decodeBloomFilter(bytes: Uint8Array): BloomFilter {
  let filter: Uint8Array = Buffer.alloc(0);
  let salt: Uint8Array = Buffer.alloc(0);
  readFields(bytes, {
    [delimited(1)]: (reader) => {
      filter = reader.bytes();
    },
    [delimited(2)]: (reader) => {
      salt = reader.bytes();
    },
  });
  return { filter, salt };
}
