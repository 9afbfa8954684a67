import { createHmac } from "node:crypto";
import { expiredCursor, invalidCursor, PAGE_TOKEN_SECONDS } from "../../../core/graph/page.ts";

/** Where a page of a list begins. */
export interface IssuedPage {
  readonly cursor: string;
  /** The chain's last indexed block when the page before was read. */
  readonly head: string;
}

/** How the page of a token is written as a few numbers, each of which has a number of bits. */
export interface NumberForm {
  readonly bits: readonly number[];
  numbersOf(page: IssuedPage): readonly bigint[];
  pageOf(numbers: readonly bigint[]): IssuedPage;
}

/** A list whose page tokens are UUIDs. A token is valid for this list with the same parameters, for 24 hours. */
export interface UuidList {
  readonly list: string;
  /** They are compared as JSON, so `1` and `"1"` are different. */
  readonly parameters: readonly unknown[];
  readonly form: NumberForm;
}

/** Page tokens that are UUIDs of version 4. They contain their page, encrypted with a secret, so that nothing is stored. */
export interface UuidTokens {
  issue(list: UuidList, page: IssuedPage): string;
  /** Throws `INVALID_PARAMETER` if the token is invalid or expired. */
  read(list: UuidList, token: string): IssuedPage;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** True if a text has the form of these tokens. */
export const isUuid = (token: string): boolean => UUID.test(token);

/** All bits of a UUID but those of its version and its variant. */
const UUID_BITS = 122;
const HALF_BITS = BigInt(UUID_BITS / 2);
const HALF_MASK = (1n << HALF_BITS) - 1n;
/** An even number of rounds. Four make a Feistel network a strong permutation if its function is random. */
const ROUNDS = 8;
/** The time of a token counts seconds from 2025 on, for 34 years. */
const FIRST_SECOND = 1_735_689_600;
const TIME_BITS = 30;
/** A token may come from a process whose clock is ahead. */
const MAX_AHEAD_SECONDS = 3_600;
/**
 * A token that seems to be older is taken for one of another list or other parameters: its time is then any of 34 years. So the answer for
 * a token of this list says that it has expired only up to this age, and later that it is not valid.
 */
const KNOWN_SECONDS = 2 * PAGE_TOKEN_SECONDS;

/**
 * `nowSeconds` is the clock for the expiry of tokens. The bits that a form does not need are zero before they are encrypted. They, and the
 * time, show that a token was issued here. A form that needs all bits has a digest of its own, which is compared when the page is read. So at
 * least 23 bits must be right by chance in a token that was not issued.
 */
export function createUuidTokens(secret: Buffer, nowSeconds: () => number): UuidTokens {
  return {
    issue({ list, parameters, form }, page) {
      const time = BigInt(nowSeconds() - FIRST_SECOND);
      const packed = pack([time, ...form.numbersOf(page)], [TIME_BITS, ...form.bits]);
      return uuidOf(encrypted(packed, roundsOf(secret, list, parameters)));
    },
    read({ list, parameters, form }, token) {
      const packed = decrypted(bitsOf(token), roundsOf(secret, list, parameters));
      const [time = 0n, ...numbers] = unpack(packed, [TIME_BITS, ...form.bits]) ?? [-1n];
      const ageSeconds = nowSeconds() - FIRST_SECOND - Number(time);
      const isOfAnother = ageSeconds < -MAX_AHEAD_SECONDS || ageSeconds > KNOWN_SECONDS;
      if (numbers.length === 0 || isOfAnother) throw invalidCursor(token);
      if (ageSeconds > PAGE_TOKEN_SECONDS) throw expiredCursor();
      return form.pageOf(numbers);
    },
  };
}

/** Writes numbers one after the other, and zeros after them. */
function pack(numbers: readonly bigint[], bits: readonly number[]): bigint {
  let packed = 0n;
  let rest = UUID_BITS;
  for (const [at, number] of numbers.entries()) {
    const width = bits[at] ?? 0;
    if (number < 0n || number >> BigInt(width) > 0n) throw new RangeError(`${number} has more than ${width} bits`);
    packed = (packed << BigInt(width)) | number;
    rest -= width;
  }
  return packed << BigInt(rest);
}

/** Returns the numbers; null if other bits than zeros are after them. */
function unpack(packed: bigint, bits: readonly number[]): bigint[] | null {
  let rest = UUID_BITS;
  const numbers = bits.map((width) => {
    rest -= width;
    return (packed >> BigInt(rest)) & ((1n << BigInt(width)) - 1n);
  });
  return (packed & ((1n << BigInt(rest)) - 1n)) === 0n ? numbers : null;
}

/** A function for each round, which depends on the list and its parameters. */
function roundsOf(secret: Buffer, list: string, parameters: readonly unknown[]): ((half: bigint) => bigint)[] {
  return Array.from({ length: ROUNDS }, (_, round) => (half: bigint) => {
    const text = JSON.stringify(["uuid", round, half.toString(16), list, ...parameters]);
    return createHmac("sha256", secret).update(text).digest().readBigUInt64BE() & HALF_MASK;
  });
}

function encrypted(bits: bigint, rounds: readonly ((half: bigint) => bigint)[]): bigint {
  let [left, right] = [bits >> HALF_BITS, bits & HALF_MASK];
  for (const round of rounds) [left, right] = [right, left ^ round(right)];
  return (left << HALF_BITS) | right;
}

function decrypted(bits: bigint, rounds: readonly ((half: bigint) => bigint)[]): bigint {
  let [left, right] = [bits >> HALF_BITS, bits & HALF_MASK];
  for (const round of rounds.toReversed()) [left, right] = [right ^ round(left), left];
  return (left << HALF_BITS) | right;
}

/** 48 bits, the version, 12 bits, the variant, 62 bits. */
function uuidOf(bits: bigint): string {
  const all =
    ((bits >> 74n) << 80n) |
    (0x4n << 76n) |
    (((bits >> 62n) & 0xfffn) << 64n) |
    (0b10n << 62n) |
    (bits & ((1n << 62n) - 1n));
  const hex = all.toString(16).padStart(32, "0");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function bitsOf(uuid: string): bigint {
  const all = BigInt(`0x${uuid.replaceAll("-", "")}`);
  return ((all >> 80n) << 74n) | (((all >> 64n) & 0xfffn) << 62n) | (all & ((1n << 62n) - 1n));
}
