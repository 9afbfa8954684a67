import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";
import { minimalProxyTarget } from "../../../core/formats/minimal-proxy.ts";
import { type WireBlock, type WireReceipt, type WireTransaction } from "../wire/blocks.ts";
import { type BlockTraces, CREATIONS, type Frame, isInternalTransaction } from "../wire/call-trees.ts";
import { bytes, isAbsent, object, quantityText, requireEqual } from "../wire/values.ts";

/** A frame of the callTracer's answer. */
interface WireFrame {
  readonly type: unknown;
  readonly from: unknown;
  readonly to?: unknown;
  readonly value?: unknown;
  readonly gas: unknown;
  readonly gasUsed: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly calls?: unknown;
}

/** The node could not trace a transaction; the message is the node's reason. */
export class TraceRefused extends Error {}

const MAX_ERROR_CHARACTERS = 200;
/** Less than the gas that any call costs, refunds included. */
const MIN_GAS_PER_FRAME = 20;
/** Longer inputs and outputs are not stored. */
const MAX_DATA_BYTES = 8_192;
/** Sum of the inputs and outputs that are stored of one transaction: its caller pays nothing for their length. */
const MAX_DATA_BYTES_OF_TRANSACTION = 65_536;

/**
 * Checks that a node's answer to `debug_traceBlockByNumber` belongs to the block: one tree per transaction, in order, whose
 * outermost frame is that transaction. Throws `BadUpstreamData` that names the mismatch, and `TraceRefused` if the node
 * could not trace a transaction.
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
  if (!isAbsent(txHash)) requireEqual(`${what}: transaction hash`, txHash, transaction.hash);
  if (isAbsent(result) && !isAbsent(error))
    throw new TraceRefused(`${what}: ${typeof error === "string" ? error : quoted(error)}`);
  const receiptGas = quantityText(receipt.gasUsed, what);
  const frames = flatten(result, what, 1 + Number(receiptGas) / MIN_GAS_PER_FRAME);
  verifyOutermost(what, transaction, receipt, frames);
  return frames;
}

/**
 * Checks that stored call trees belong to the block, as `verifyTraces` does with a node's answer. Throws `BadUpstreamData` that names the
 * mismatch.
 */
export function verifyStoredTraces(
  { transactions, number }: WireBlock,
  receipts: readonly WireReceipt[],
  traces: BlockTraces,
): void {
  const where = `block ${Number(number)}`;
  if (!Array.isArray(traces) || traces.length !== transactions.length)
    throw new BadUpstreamData(`${where} has ${transactions.length} transactions, but ${traces.length} call trees`);
  for (const [index, frames] of traces.entries()) {
    const what = `trace ${index} of ${where}`;
    if (frames[0]?.[0] !== 0) throw new BadUpstreamData(`${what} has no outermost frame`);
    verifyOutermost(what, transactions[index] as WireTransaction, receipts[index] as WireReceipt, frames);
  }
}

function verifyOutermost(
  what: string,
  transaction: WireTransaction,
  receipt: WireReceipt,
  frames: readonly Frame[],
): void {
  const receiptGas = quantityText(receipt.gasUsed, what);
  const [, opcode, from, to, value, , gasUsed, failure] = frames[0] as Frame;
  requireEqual(`${what}: type of the outermost frame`, opcode, transaction.to ? "CALL" : "CREATE");
  requireEqual(`${what}: sender`, from, bytes(transaction.from, `sender of ${what}`, 20));
  const receiver = transaction.to ?? (receipt.status === "0x0" ? null : receipt.contractAddress);
  if (receiver) requireEqual(`${what}: receiver`, to, bytes(receiver, `receiver of ${what}`, 20));
  requireEqual(`${what}: value`, value ?? "0", quantityText(transaction.value, `value of ${what}`));
  // Anvil's gas includes the preceding transactions of the block.
  if (gasUsed !== quantityText(receipt.cumulativeGasUsed, what)) requireEqual(`${what}: gas used`, gasUsed, receiptGas);
  requireEqual(`${what}: success`, failure === null, receipt.status !== "0x0");
}

/** Depth first, without recursion: a call tree may be deeper than the engine's stack. */
function flatten(root: unknown, what: string, maxFrames: number): Frame[] {
  const frames: Frame[] = [];
  const pending: { readonly wire: unknown; readonly depth: number }[] = [{ wire: root, depth: 0 }];
  const left = { bytes: MAX_DATA_BYTES_OF_TRANSACTION };
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { wire, depth } = next;
    const frame = object(wire, `a frame of ${what}`) as WireFrame;
    frames.push(withData(parseFrame(frame, depth, what), frame, what, left));
    const calls = frame.calls ?? [];
    if (!Array.isArray(calls)) throw new BadUpstreamData(`${what}: the calls of a frame are not a list`);
    if (frames.length + pending.length + calls.length > maxFrames)
      throw new BadUpstreamData(`${what} has more frames than its gas can have paid for`);
    for (let i = calls.length - 1; i >= 0; i--) pending.push({ wire: calls[i], depth: depth + 1 });
  }
  return frames;
}

function parseFrame(frame: WireFrame, depth: number, what: string): Frame {
  const { type, to, value, output } = frame;
  if (typeof type !== "string" || !/^[A-Z][A-Z0-9]{0,19}$/.test(type))
    throw new BadUpstreamData(`${what}: the type of a frame is ${quoted(type)}`);
  if (CREATIONS.has(type) && !isAbsent(output)) bytes(output, `${what}: output of a creation`);
  return [
    depth,
    type,
    bytes(frame.from, `${what}: sender of a frame`, 20),
    isAbsent(to) ? null : bytes(to, `${what}: receiver of a frame`, 20),
    isAbsent(value) ? null : quantityText(value, `${what}: value of a frame`),
    quantityText(frame.gas, `${what}: gas of a frame`, 64),
    quantityText(frame.gasUsed, `${what}: gas used of a frame`, 64),
    parseError(frame, what),
    typeof output === "string" ? Math.max(0, (output.length - 2) >> 1) : 0,
  ];
}

/**
 * The frame with the input and output that are stored of it. `left` has the number of bytes that may still be stored of the transaction. The
 * input of an outermost frame is that of the transaction, and its output is known to be the code if it creates a minimal proxy.
 */
function withData(frame: Frame, wire: WireFrame, what: string, left: { bytes: number }): Frame {
  const [depth, opcode, from, to, value, gas, gasUsed, error, outputBytes] = frame;
  const stored = (data: unknown, name: string): string | null => {
    const hex = isAbsent(data) ? "" : bytes(data, `${what}: ${name} of a frame`);
    const length = hex.length / 2;
    if (length > Math.min(MAX_DATA_BYTES, left.bytes)) return null;
    left.bytes -= length;
    return hex;
  };
  if (isInternalTransaction(frame)) {
    const input = stored(wire.input, "input");
    return [depth, opcode, from, to, value, gas, gasUsed, error, outputBytes, input, stored(wire.output, "output")];
  }
  const isFailed = depth === 0 && error !== null && outputBytes > 0;
  const isProxy = depth === 0 && CREATIONS.has(opcode) && minimalProxyTarget(String(wire.output).slice(2)) !== null;
  if (!isFailed && !isProxy) return frame;
  return [depth, opcode, from, to, value, gas, gasUsed, error, outputBytes, null, stored(wire.output, "output")];
}

/** Null if the frame succeeded; some nodes give an empty text then. */
function parseError({ error }: WireFrame, what: string): string | null {
  if (isAbsent(error) || error === "") return null;
  if (typeof error !== "string") throw new BadUpstreamData(`${what}: the error of a frame is ${quoted(error)}`);
  return error.slice(0, MAX_ERROR_CHARACTERS);
}
