import { cached } from "../../../core/caches/cached.ts";
import { keccak256 } from "../../../core/formats/keccak.ts";
import type { WireLog, WireReceipt } from "./blocks.ts";

const BLOOM_BYTES = 256;
const DIGITS = 2 * BLOOM_BYTES;
const PREFIX = "0x";
const EMPTY_BLOOM = PREFIX + "0".repeat(DIGITS);
/** Characters of hex digits by value, and values by character. */
const CHARACTERS = Buffer.from("0123456789abcdef", "latin1");
const VALUES = new Uint8Array(1 << 8);
for (const [value, character] of CHARACTERS.entries()) VALUES[character] = value;

const CACHE_SIZE = 100_000;

type BloomLog = Pick<WireLog, "address" | "topics">;

/** A bloom as the characters of its text, so that it needs no conversion when it is compared with that of a node. */
class Bloom {
  readonly #text = Buffer.from(EMPTY_BLOOM, "latin1");

  clear(): void {
    this.#text.write(EMPTY_BLOOM, "latin1");
  }

  add(bits: readonly number[]): void {
    const text = this.#text;
    for (const bit of bits) {
      // The lowest bit is in the last digit.
      const at = text.length - 1 - (bit >> 2);
      text[at] = CHARACTERS[(VALUES[text[at] as number] as number) | (1 << (bit & 3))] as number;
    }
  }

  toString(): string {
    return this.#text.toString("latin1");
  }
}

// Used for one block or receipt after the other.
const ofReceipt = new Bloom();
const ofBlock = new Bloom();

/** The logs bloom (Yellow Paper, 4.3.1) over the addresses and topics of the logs, as `0x` hex. */
export function bloomOf(logs: readonly BloomLog[]): string {
  return bloomsOf([{ logs }]).block;
}

/** The blooms of a block's receipts, and that of all their logs. */
export interface BlockBlooms {
  readonly receipts: readonly string[];
  readonly block: string;
}

/** The same for the receipts of a block, in one pass over their logs. */
export function bloomsOf(receipts: readonly { readonly logs: readonly BloomLog[] }[]): BlockBlooms {
  ofBlock.clear();
  const texts = receipts.map(({ logs }) => (logs.length === 0 ? EMPTY_BLOOM : bloomOfReceipt(logs)));
  return { receipts: texts, block: ofBlock.toString() };
}

/** Also adds to the bloom of the block. */
function bloomOfReceipt(logs: readonly BloomLog[]): string {
  ofReceipt.clear();
  for (const { address, topics } of logs) {
    addValue(address);
    for (const topic of topics) addValue(topic);
  }
  return ofReceipt.toString();
}

function addValue(value: string): void {
  const bits = bitsOf(value);
  ofReceipt.add(bits);
  ofBlock.add(bits);
}

/** What the logs of a block's receipts say about the blooms of its node. */
export interface CheckedBlooms {
  /** Position of the first receipt whose bloom differs from that of its logs; -1 if there is none. */
  readonly wrongReceipt: number;
  /** Bloom of all logs. */
  readonly block: string;
}

/** A block is checked when it arrives, and again when it is stored. */
const checked = new WeakMap<readonly BloomReceipt[], CheckedBlooms>();

type BloomReceipt = Pick<WireReceipt, "logs" | "logsBloom">;

/** Compares the blooms of receipts, which must not change afterwards, with those of their logs. */
export function checkBlooms(receipts: readonly BloomReceipt[]): CheckedBlooms {
  const known = checked.get(receipts);
  if (known) return known;
  const blooms = bloomsOf(receipts);
  const wrongReceipt = receipts.findIndex(({ logsBloom }, i) => logsBloom !== blooms.receipts[i]);
  const result = { wrongReceipt, block: blooms.block };
  checked.set(receipts, result);
  return result;
}

/** Bits of recently used addresses and topics: a chain's logs repeat a few of them. */
const bitsOf = cached((value): readonly number[] => {
  const hash = keccak256(Buffer.from(value.slice(2), "hex"));
  return [0, 2, 4].map((at) => (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047);
}, CACHE_SIZE);
