import { cached } from "../caches/cached.ts";
import { keccak256 } from "./keccak.ts";

/** True for `0x` and 40 hex digits. The EIP-55 checksum is not verified. */
export function isEvmAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}

/** The text of an address. Each call reuses this buffer. */
const characters = Buffer.alloc(42);
const digits = characters.subarray(2);
const LETTER_A = 0x61;
/** From a lower-case letter to its upper case. */
const TO_UPPER_CASE = -0x20;

function withChecksum(lower: string): string {
  characters.write(lower, "latin1");
  const hash = keccak256(digits);
  for (let i = 0; i < 40; i++) {
    const nibble = ((hash[i >> 1] as number) >> (i % 2 ? 0 : 4)) & 15;
    const character = digits[i] as number;
    if (nibble >= 8 && character >= LETTER_A) digits[i] = character + TO_UPPER_CASE;
  }
  return characters.toString("latin1");
}

/** EIP-55 form of an address given as `0x` and 40 lower-case hex digits. Caches up to 50,000 addresses. */
export const checksumAddress = cached(withChecksum);

/**
 * Token events have it as the sender of a mint and the recipient of a burn. The API returns it as the recipient of a transaction
 * that creates a contract, and of an internal transaction that failed to create one.
 */
export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
