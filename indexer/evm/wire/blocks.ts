import { BadUpstreamData, quoted } from "../../../core/errors.ts";
import type { BlockTraces } from "../fetch/verify-traces.ts";

/** What is used of a node's block (`eth_getBlockByNumber` with transactions). Values are the node's own text. */
export interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly timestampMilliseconds?: string;
  readonly minDelayExcess?: string;
  readonly baseFeePerGas?: string;
  readonly blockGasCost?: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly stateRoot: string;
  readonly receiptsRoot: string;
  readonly logsBloom: string;
  readonly miner: string;
  /** C-Chain only: its atomic transactions, and keccak256 of the RLP of them. */
  readonly blockExtraData?: string;
  readonly extDataHash?: string;
  /** Since Helicon (ACP-194): up to where this block settles, whose receipts its header's root and bloom are of. */
  readonly settledHeight?: string;
  readonly size: string;
  readonly transactions: readonly WireTransaction[];
}

export interface WireTransaction {
  readonly blockHash: string;
  readonly hash: string;
  readonly transactionIndex: string;
  readonly from: string;
  readonly to: string | null;
  readonly type?: string;
  readonly nonce: string;
  readonly value: string;
  readonly gas: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly input: string;
}

export interface WireReceipt {
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly status?: string;
  readonly gasUsed: string;
  readonly cumulativeGasUsed: string;
  readonly effectiveGasPrice?: string;
  readonly contractAddress: string | null;
  readonly logsBloom?: string;
  readonly logs: readonly WireLog[];
}

export interface WireLog {
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly logIndex: string;
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly removed?: boolean;
}

/** A block with its receipts, checked: everything it says hangs together. */
export interface RawBlock {
  readonly block: WireBlock;
  readonly receipts: readonly WireReceipt[];
  /** Null: not known. */
  readonly traces: BlockTraces | null;
}

const HEX = /^0x[0-9a-f]*$/i;
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
/** Digits of a hex quantity that a JavaScript number holds exactly. */
const SAFE_LENGTH = 2 + 12;

/** Decimal text of a hex quantity of at most `bits` bits (256). Throws `BadUpstreamData` naming `what`. */
export function quantity(value: unknown, what: string, bits = 256): string {
  if (typeof value !== "string" || !QUANTITY.test(value))
    throw new BadUpstreamData(`${what} is ${quoted(value)}, not a hex quantity`);
  const number = value.length <= SAFE_LENGTH ? Number.parseInt(value, 16) : BigInt(value);
  if (number >= 2 ** bits) throw new BadUpstreamData(`${what} is ${quoted(value)}, more than ${bits} bits`);
  return number.toString();
}

/** A hex quantity that a JavaScript number holds exactly. */
export function integer(value: unknown, what: string): number {
  const number = Number(quantity(value, what, 64));
  if (!Number.isSafeInteger(number)) throw new BadUpstreamData(`${what} is ${quoted(value)}, too large`);
  return number;
}

/** A JSON object, whose members are yet to be looked at. */
export function object(value: unknown, what: string): object {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BadUpstreamData(`${what} is ${quoted(value)}, not an object`);
  return value;
}

/** Lower-case hex digits, without `0x`, of bytes of that length (any length without one). */
export function bytes(value: unknown, what: string, length?: number): string {
  const isHex = typeof value === "string" && value.length % 2 === 0 && HEX.test(value);
  if (!isHex || (length !== undefined && value.length !== 2 + 2 * length))
    throw new BadUpstreamData(`${what} is ${quoted(value)}, not ${length ?? "any number of"} bytes in hex`);
  return value.slice(2).toLowerCase();
}

/** Throws `BadUpstreamData` naming `what` when something is not what it must be. */
export function same(what: string, got: unknown, expected: unknown): void {
  if (got !== expected) throw new BadUpstreamData(`${what} is ${quoted(got)}, expected ${quoted(expected)}`);
}
