import type { ServerResponse } from "node:http";
import { DefaultedResponse } from "./response.ts";
import { onResponseClose } from "./response-close.ts";

/** Blocks have a power of two as their length, between these. Longer bodies get memory of their own. */
const MIN_BLOCK_BITS = 12;
const MAX_BLOCK_BITS = 17;
/** Blocks that wait for the next body have at most this number of bytes together. */
const MAX_FREE_BYTES = 4 * 1024 * 1024;

/** A property takes less time than a WeakMap. */
const BLOCK = Symbol("block");

type Body = Buffer & { [BLOCK]?: Buffer | undefined };

/** Blocks that wait for the next body, by the bits of their length. */
const free: readonly Buffer[][] = Array.from({ length: MAX_BLOCK_BITS + 1 }, () => []);
let freeBytes = 0;

/**
 * Returns bytes for a body, which the caller has to fill. They can be part of a block of memory that bodies use one after the other: to take
 * and to collect new memory for each body takes longer. `endWithBody` or `releaseBody` gives the block back; a block that nobody gives back is
 * collected.
 */
export function takeBody(length: number): Buffer {
  const bits = Math.max(MIN_BLOCK_BITS, 32 - Math.clz32(length - 1));
  if (length < 1 || bits > MAX_BLOCK_BITS) return Buffer.allocUnsafeSlow(length);
  const waiting = free[bits]?.pop();
  if (waiting) freeBytes -= waiting.length;
  const block = waiting ?? Buffer.allocUnsafeSlow(1 << bits);
  const body: Body = block.subarray(0, length);
  body[BLOCK] = block;
  return body;
}

/** In UTF-16 code units. Node.js joins shorter texts with the head of a response, and sends both at once. */
const MAX_TEXT_LENGTH = 1_024;

/** What is sent of a text: its bytes in UTF-8, in a body of `takeBody`, or a short text itself. */
export function bodyOf(text: string | Buffer): string | Buffer {
  if (typeof text !== "string" || text.length <= MAX_TEXT_LENGTH) return text;
  const body = takeBody(Buffer.byteLength(text));
  body.write(text);
  return body;
}

/**
 * Ends a response whose head is written with its body. On Moraine's own server, other bodies may use the memory of the body when the response
 * is complete. On other servers, such as the one in which the REST router is mounted, they do not, because middleware may keep the body.
 */
export function endWithBody(response: ServerResponse, body: string | Buffer): void {
  response.end(body);
  if (typeof body !== "string" && (body as Body)[BLOCK] && response instanceof DefaultedResponse)
    onResponseClose(response, () => releaseBody(body));
}

/** Lets other bodies use the memory of a body that nobody reads any more. */
export function releaseBody(body: string | Buffer): void {
  if (typeof body === "string") return;
  const block = (body as Body)[BLOCK];
  if (!block) return;
  (body as Body)[BLOCK] = undefined;
  if (freeBytes + block.length > MAX_FREE_BYTES) return;
  freeBytes += block.length;
  free[31 - Math.clz32(block.length)]?.push(block);
}
