import { keccak256 } from "../../../core/keccak.ts";
import type { WireLog, WireReceipt } from "./blocks.ts";

const BLOOM_BYTES = 256;
const EMPTY_BLOOM = `0x${"00".repeat(BLOOM_BYTES)}`;
const CACHE_SIZE = 100_000;
/** Bits of recently used addresses and topics: a chain's logs repeat a few of them. */
const bitsByValue = new Map<string, readonly number[]>();

type BloomLog = Pick<WireLog, "address" | "topics">;

/** The logs bloom (Yellow Paper, 4.3.1) over the addresses and topics of the logs, as `0x` hex. */
export function bloomOf(logs: readonly BloomLog[]): string {
  const bloom = Buffer.alloc(BLOOM_BYTES);
  for (const log of logs) addLog([bloom], log);
  return bloomText(bloom);
}

/** The blooms of a block's receipts, and that of all their logs. */
export interface BlockBlooms {
  readonly receipts: readonly string[];
  readonly block: string;
}

/** The same for the receipts of a block, in one pass over their logs. */
export function bloomsOf(receipts: readonly { readonly logs: readonly BloomLog[] }[]): BlockBlooms {
  const block = Buffer.alloc(BLOOM_BYTES);
  const texts = receipts.map(({ logs }) => {
    if (logs.length === 0) return EMPTY_BLOOM;
    const bloom = Buffer.alloc(BLOOM_BYTES);
    for (const log of logs) addLog([bloom, block], log);
    return bloomText(bloom);
  });
  return { receipts: texts, block: bloomText(block) };
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

const bloomText = (bloom: Buffer): string => `0x${bloom.toString("hex")}`;

function addLog(blooms: readonly Buffer[], { address, topics }: BloomLog): void {
  addValue(blooms, address);
  for (const topic of topics) addValue(blooms, topic);
}

function addValue(blooms: readonly Buffer[], value: string): void {
  const bits = bitsOf(value);
  for (const bloom of blooms) for (const bit of bits) bloom[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
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
