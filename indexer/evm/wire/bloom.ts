import { keccak256 } from "../../../core/keccak.ts";
import type { WireLog } from "./blocks.ts";

const BLOOM_BYTES = 256;
const CACHE_SIZE = 100_000;
/** Bits of recently used addresses and topics: a chain's logs repeat a few of them. */
const bitsByValue = new Map<string, readonly number[]>();

/** The logs bloom (Yellow Paper, 4.3.1) over the addresses and topics of the logs, as `0x` hex. */
export function bloomOf(logs: readonly Pick<WireLog, "address" | "topics">[]): string {
  const bloom = Buffer.alloc(BLOOM_BYTES);
  for (const log of logs) {
    for (const value of [log.address, ...log.topics]) {
      for (const bit of bitsOf(value)) bloom[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return `0x${bloom.toString("hex")}`;
}

function bitsOf(value: string): readonly number[] {
  const cached = bitsByValue.get(value);
  if (cached) return cached;
  const hash = keccak256(Buffer.from(value.slice(2), "hex"));
  const bits = [0, 2, 4].map((at) => (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047);
  if (bitsByValue.size >= CACHE_SIZE) bitsByValue.clear();
  bitsByValue.set(value, bits);
  return bits;
}
