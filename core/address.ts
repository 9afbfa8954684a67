import { keccak_256 } from "@noble/hashes/sha3.js";

const CACHE_SIZE = 50_000;
const cache = new Map<string, string>();

/** True for `0x` and 40 hex digits. The EIP-55 checksum is not verified. */
export function isEvmAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}

/**
 * EIP-55 form of an address given as `0x` and 40 lower-case hex digits. Caches the last 50,000 addresses, because hashing an address
 * takes longer than writing the rest of its row.
 */
export function checksumAddress(lower: string): string {
  const known = cache.get(lower);
  if (known !== undefined) return known;
  const text = withChecksum(lower);
  if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value as string);
  cache.set(lower, text);
  return text;
}

function withChecksum(lower: string): string {
  const hash = keccak_256(new TextEncoder().encode(lower.slice(2)));
  let text = "0x";
  for (let i = 0; i < 40; i++) {
    const digit = lower[i + 2] as string;
    const nibble = ((hash[i >> 1] as number) >> (i % 2 ? 0 : 4)) & 15;
    text += nibble >= 8 ? digit.toUpperCase() : digit;
  }
  return text;
}

/** Token events name it as the sender of a mint and the receiver of a burn, REST as the receiver of a contract creation. */
export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
