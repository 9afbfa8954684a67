import { createContext, Script } from "node:vm";
import { Decompress } from "fzstd";
import { errorCode, messageOf } from "../../../core/errors/errors.ts";
import { ProtocolViolation } from "../protocol-violation.ts";
import { MAX_MESSAGE_BYTES } from "./frames.ts";

const MAGIC = 0xfd2fb528;
/** The largest block, in bytes of content (RFC 8878, section 3.1.1.2.4). */
const MAX_BLOCK_BYTES = 128 * 1024;
/** fzstd moves the whole window after each block. A message of 2 MiB has 16 full blocks. */
const MAX_BLOCKS = 1_024;
const CHECKSUM_BYTES = 4;
/** Types of blocks (RFC 8878, section 3.1.1.2.2). Type 0 contains the bytes themselves. */
const REPEATED_BYTE = 1;
const COMPRESSED_BLOCK = 2;
const RESERVED_BLOCK = 3;

/** A message of 2 MiB takes about 20 ms. */
const TIME_LIMIT_MS = 500;

/**
 * The content of one Zstandard frame (RFC 8878). Throws `ProtocolViolation` if the content or the window is larger than a
 * message may be, or if it takes too long, and `Error` if the frame is malformed. Headers are checked before anything is
 * decompressed, because fzstd allocates the sizes that they name.
 */
export function decompress(frame: Uint8Array, limitMs = TIME_LIMIT_MS): Uint8Array {
  const plain = checkBlocks(frame, parseHeader(frame));
  if (plain) return plain;
  const pieces: Uint8Array[] = [];
  let total = 0;
  const stream = new Decompress((piece) => {
    total += piece.length;
    checkSize("content", total);
    pieces.push(piece);
  });
  runLimited(() => stream.push(frame, true), limitMs);
  return Buffer.concat(pieces, total);
}

const sandbox = createContext({ task: () => {} });
const runTask = new Script("task()");

/**
 * Runs a task and ends it after `limitMs`. fzstd does not notice that a block writes more than a block may: a hundred bytes can
 * keep it busy for many seconds. Only Node's virtual machine can end a task that does not yield; that costs about 0.05 ms.
 */
function runLimited(task: () => void, limitMs: number): void {
  sandbox["task"] = task;
  try {
    runTask.runInContext(sandbox, { timeout: limitMs });
  } catch (error) {
    if (error instanceof ProtocolViolation) throw error;
    // This error is of the other context, so it is not an `Error` of this one.
    if (errorCode(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new ProtocolViolation("a compressed message takes too long to decompress");
    throw new Error(`a compressed message is malformed: ${messageOf(error)}`);
  } finally {
    sandbox["task"] = null;
  }
}

interface FrameHeader {
  readonly blocksAt: number;
  readonly hasChecksum: boolean;
}

/** Reads the frame header of RFC 8878, section 3.1.1.1. */
function parseHeader(frame: Uint8Array): FrameHeader {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 6 || view.getUint32(0, true) !== MAGIC) throw new Error("the bytes are not a Zstandard frame");
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const windowBytes = isSingleSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const sizeAt = 5 + windowBytes + dictionaryBytes;
  if (dictionaryBytes > 0) throw new Error("the Zstandard frame needs a dictionary");
  if (frame.length < sizeAt + sizeBytes) throw new Error("the Zstandard frame ends in its header");
  if (!isSingleSegment) checkSize("window", windowSize(view.getUint8(5)));
  checkSize("content", contentSize(view, sizeAt, sizeBytes));
  return { blocksAt: sizeAt + sizeBytes, hasChecksum: (descriptor & 4) !== 0 };
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  if (bytes === 4) return view.getUint32(at, true);
  return bytes === 8 ? Number(view.getBigUint64(at, true)) : 0;
}

/**
 * Walks over the block headers: the frame must end with its last block, and blocks that name their size stay in the limit.
 * Returns the content if no block is compressed, which is the usual form of an answer with a signature; otherwise null.
 */
function checkBlocks(frame: Uint8Array, { blocksAt, hasChecksum }: FrameHeader): Uint8Array | null {
  const pieces: Uint8Array[] = [];
  let isPlain = true;
  let at = blocksAt;
  let known = 0;
  for (let blocks = 1; ; blocks++) {
    if (at + 3 > frame.length || blocks > MAX_BLOCKS) throw new Error("the Zstandard frame has no last block");
    const header = (frame[at] ?? 0) | ((frame[at + 1] ?? 0) << 8) | ((frame[at + 2] ?? 0) << 16);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (size > MAX_BLOCK_BYTES || type === RESERVED_BLOCK) throw new Error("the Zstandard frame has a malformed block");
    if (type === COMPRESSED_BLOCK) isPlain = false;
    else known += size;
    checkSize("content", known);
    const stored = frame.subarray(at + 3, at + 3 + (type === REPEATED_BYTE ? 1 : size));
    pieces.push(type === REPEATED_BYTE ? Buffer.alloc(size, stored) : stored);
    at += 3 + (type === REPEATED_BYTE ? 1 : size);
    if (header & 1) break;
  }
  if (at + (hasChecksum ? CHECKSUM_BYTES : 0) !== frame.length)
    throw new Error("the Zstandard frame has a wrong length");
  return isPlain ? Buffer.concat(pieces, known) : null;
}

function checkSize(what: string, size: number): void {
  if (size <= MAX_MESSAGE_BYTES) return;
  throw new ProtocolViolation(`the ${what} of a compressed message is above the limit of ${MAX_MESSAGE_BYTES} bytes`);
}
