import { BadUpstreamData, quoted } from "../../../core/errors.ts";
import {
  bytes,
  object,
  quantity,
  same,
  type WireBlock,
  type WireReceipt,
  type WireTransaction,
} from "../wire/blocks.ts";

/**
 * A frame of a call tree as the raw store keeps it: without input and output, which no row needs and which are most of
 * what a node says. Part of the format of stored payloads.
 */
export type Frame = readonly [
  /** Frames around it: 0 for the outermost. */
  depth: number,
  /** The node's word: CALL, CREATE2, SELFDESTRUCT and others. */
  opcode: string,
  /** Hex without `0x`. */
  from: string,
  /** Hex without `0x`; null where the node names none, as of a failed creation. */
  to: string | null,
  /** Decimal; null where the node names none. */
  value: string | null,
  gas: string,
  gasUsed: string,
  /** What went wrong in it; null when nothing did. What is around it may have failed all the same. */
  error: string | null,
  /** Bytes that it gave back: of a creation, the code. */
  outputBytes: number,
];

/** The call tree of each transaction of a block, depth first. */
export type BlockTraces = readonly (readonly Frame[])[];

/** A node's frame (callTracer). */
interface WireFrame {
  readonly type: unknown;
  readonly from: unknown;
  readonly to?: unknown;
  readonly value?: unknown;
  readonly gas: unknown;
  readonly gasUsed: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly calls?: unknown;
}

/** The node could not trace a transaction, and says why. */
export class TraceRefused extends Error {}

const MAX_ERROR_CHARACTERS = 200;
/** Less than any call ever cost, after refunds too. */
const LEAST_GAS = 20;
const CREATIONS: ReadonlySet<string> = new Set(["CREATE", "CREATE2"]);

/**
 * Checks that a node's answer to `debug_traceBlockByNumber` belongs to the block: one tree for each transaction, in order,
 * whose outermost frame is that transaction. Throws `BadUpstreamData` saying what does not belong, `TraceRefused` when the
 * answer is none.
 */
export function verifyTraces(block: WireBlock, receipts: readonly WireReceipt[], answer: unknown): BlockTraces {
  const where = `block ${Number(block.number)}`;
  if (!Array.isArray(answer)) throw new BadUpstreamData(`the traces of ${where} are ${quoted(answer)}, not a list`);
  if (answer.length !== block.transactions.length)
    throw new BadUpstreamData(
      `${where} has ${block.transactions.length} transactions, but the node gave ${answer.length} traces`,
    );
  return answer.map((item: unknown, index) => {
    const transaction = block.transactions[index] as WireTransaction;
    return verifyTrace(`trace ${index} of ${where}`, transaction, receipts[index] as WireReceipt, item);
  });
}

function verifyTrace(what: string, transaction: WireTransaction, receipt: WireReceipt, item: unknown): Frame[] {
  const { txHash, result, error } = object(item, what) as { txHash?: unknown; result?: unknown; error?: unknown };
  if (txHash !== undefined) same(`${what}: transaction hash`, txHash, transaction.hash);
  if (isAbsent(result) && !isAbsent(error))
    throw new TraceRefused(`${what}: ${typeof error === "string" ? error : quoted(error)}`);
  const receiptGas = quantity(receipt.gasUsed, what);
  const frames = flatten(result, what, 1 + Number(receiptGas) / LEAST_GAS);
  const [, opcode, from, to, value, , gasUsed, failure] = frames[0] as Frame;
  same(`${what}: type of the outermost frame`, opcode, transaction.to ? "CALL" : "CREATE");
  same(`${what}: sender`, from, bytes(transaction.from, `sender of ${what}`, 20));
  const receiver = transaction.to ?? (receipt.status === "0x0" ? null : receipt.contractAddress);
  if (receiver) same(`${what}: receiver`, to, bytes(receiver, `receiver of ${what}`, 20));
  same(`${what}: value`, value ?? "0", quantity(transaction.value, `value of ${what}`));
  // Anvil gives the gas of the transactions before it too.
  if (gasUsed !== quantity(receipt.cumulativeGasUsed, what)) same(`${what}: gas used`, gasUsed, receiptGas);
  same(`${what}: success`, failure === null, receipt.status !== "0x0");
  return frames;
}

/** Depth first, without recursion: a call tree may be deeper than a stack. */
function flatten(root: unknown, what: string, mostFrames: number): Frame[] {
  const frames: Frame[] = [];
  const rest: { readonly wire: unknown; readonly depth: number }[] = [{ wire: root, depth: 0 }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { wire, depth } = next;
    const frame = object(wire, `a frame of ${what}`) as WireFrame;
    frames.push(frameOf(frame, depth, what));
    const calls = frame.calls ?? [];
    if (!Array.isArray(calls)) throw new BadUpstreamData(`${what}: the calls of a frame are no list`);
    if (frames.length + rest.length + calls.length > mostFrames)
      throw new BadUpstreamData(`${what} has more frames than its gas can have paid for`);
    for (let i = calls.length - 1; i >= 0; i--) rest.push({ wire: calls[i], depth: depth + 1 });
  }
  return frames;
}

function frameOf(frame: WireFrame, depth: number, what: string): Frame {
  const { type, to, value, output } = frame;
  if (typeof type !== "string" || !/^[A-Z][A-Z0-9]{0,19}$/.test(type))
    throw new BadUpstreamData(`${what}: a frame is of the type ${quoted(type)}`);
  if (CREATIONS.has(type) && !isAbsent(output)) bytes(output, `${what}: output of a creation`);
  return [
    depth,
    type,
    bytes(frame.from, `${what}: sender of a frame`, 20),
    isAbsent(to) ? null : bytes(to, `${what}: receiver of a frame`, 20),
    isAbsent(value) ? null : quantity(value, `${what}: value of a frame`),
    quantity(frame.gas, `${what}: gas of a frame`, 64),
    quantity(frame.gasUsed, `${what}: gas used of a frame`, 64),
    errorOf(frame, what),
    typeof output === "string" ? Math.max(0, (output.length - 2) >> 1) : 0,
  ];
}

/** An empty text is no error: a frame that failed says how. */
function errorOf({ error }: WireFrame, what: string): string | null {
  if (isAbsent(error) || error === "") return null;
  if (typeof error !== "string") throw new BadUpstreamData(`${what}: the error of a frame is ${quoted(error)}`);
  return error.slice(0, MAX_ERROR_CHARACTERS);
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
