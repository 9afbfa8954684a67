import { quoted } from "../../core/errors.ts";
import { BadUpstreamData } from "../errors.ts";
import { bytes, object, quantity, same, type WireBlock, type WireReceipt } from "./wire.ts";

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
  readonly type: string;
  readonly from: string;
  readonly to?: string | null;
  readonly value?: string;
  readonly gas: string;
  readonly gasUsed: string;
  readonly output?: string;
  readonly error?: string;
  readonly calls?: readonly WireFrame[];
}

/** The node could not trace a transaction, and says why. */
export class TraceRefused extends Error {}

const MAX_ERROR_CHARACTERS = 200;

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
    const what = `trace ${index} of ${where}`;
    const { txHash, result, error } = object(item, what) as { txHash?: unknown; result?: unknown; error?: unknown };
    const transaction = block.transactions[index] as WireBlock["transactions"][number];
    if (txHash !== undefined) same(`${what}: transaction hash`, txHash, transaction.hash);
    if (result === undefined && error !== undefined) throw new TraceRefused(`${what}: ${String(error)}`);
    const frames = flatten(result, what);
    const [, , from, to, , , gasUsed, failure] = frames[0] as Frame;
    const receipt = receipts[index] as WireReceipt;
    same(`${what}: sender`, from, bytes(transaction.from, `sender of ${what}`, 20));
    if (transaction.to) same(`${what}: receiver`, to, bytes(transaction.to, `receiver of ${what}`, 20));
    // Anvil gives the gas of the transactions before it too.
    if (gasUsed !== quantity(receipt.cumulativeGasUsed, what))
      same(`${what}: gas used`, gasUsed, quantity(receipt.gasUsed, what));
    same(`${what}: success`, failure === null, receipt.status !== "0x0");
    return frames;
  });
}

/** Depth first, without recursion: a call tree may be deeper than a stack. */
function flatten(root: unknown, what: string): Frame[] {
  const frames: Frame[] = [];
  const rest: { readonly wire: unknown; readonly depth: number }[] = [{ wire: root, depth: 0 }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { wire, depth } = next;
    const frame = object(wire, `a frame of ${what}`) as WireFrame;
    frames.push(frameOf(frame, depth, what));
    const calls = frame.calls ?? [];
    if (!Array.isArray(calls)) throw new BadUpstreamData(`${what}: the calls of a frame are no list`);
    for (let i = calls.length - 1; i >= 0; i--) rest.push({ wire: calls[i], depth: depth + 1 });
  }
  return frames;
}

function frameOf(frame: WireFrame, depth: number, what: string): Frame {
  if (typeof frame.type !== "string" || !/^[A-Z][A-Z0-9]{0,19}$/.test(frame.type))
    throw new BadUpstreamData(`${what}: a frame is of the type ${quoted(frame.type)}`);
  return [
    depth,
    frame.type,
    bytes(frame.from, `${what}: sender of a frame`, 20),
    frame.to ? bytes(frame.to, `${what}: receiver of a frame`, 20) : null,
    frame.value === undefined ? null : quantity(frame.value, `${what}: value of a frame`),
    quantity(frame.gas, `${what}: gas of a frame`, 64),
    quantity(frame.gasUsed, `${what}: gas used of a frame`, 64),
    frame.error === undefined ? null : String(frame.error).slice(0, MAX_ERROR_CHARACTERS),
    typeof frame.output === "string" ? Math.max(0, (frame.output.length - 2) >> 1) : 0,
  ];
}
