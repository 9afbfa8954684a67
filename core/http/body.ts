import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Failure } from "../errors/errors.ts";
import { formatCount } from "../graph/cost.ts";
import { countRejection } from "../observability/rejections.ts";
import { CALLER_LEFT } from "./connections.ts";
import { beginLargeBody, LARGE_BODY_BYTES, type LargeBody } from "./large-bodies.ts";

/** True if the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/** True if the request announces a body that has not arrived completely. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete;
}

/**
 * Reads the whole body. Rejects with `INVALID_PARAMETER` as soon as the body is known to exceed `limitBytes`, and if it has too many
 * values or arrives in too many parts; with `Overloaded` if all large bodies together need too much memory; and with `CALLER_LEFT`.
 * A large body resolves when the event loop has time to parse it.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (request.destroyed) throw CALLER_LEFT;
  let large: LargeBody | null = null;
  try {
    const body = await new Promise<Buffer>((resolve, reject) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      let heldBytes = 0;
      const stop = (reason: Failure) => {
        request.off("close", onClose);
        request.off("data", onData).pause();
        reject(reason);
      };
      const onClose = () => reject(CALLER_LEFT);
      const onData = (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        heldBytes += chunk.length + PART_BYTES;
        if (bytes > limitBytes) return stop(tooLarge(limitBytes));
        if (chunks.length > MAX_PARTS) {
          tooManyPartsIn.add(request);
          return stop(tooManyParts());
        }
        if (large) large.add(chunk.length + PART_BYTES);
        else if (heldBytes > LARGE_BODY_BYTES) {
          large = beginLargeBody(stop);
          large.add(heldBytes);
        }
        return undefined;
      };
      request.on("data", onData);
      request.once("end", () => {
        // The request would keep the listeners, and these the body.
        request.off("close", onClose).off("data", onData);
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
      });
      request.once("close", onClose);
    });
    if (large) await (large as LargeBody).complete();
    checkValues(body);
    return body;
  } finally {
    (large as LargeBody | null)?.end();
  }
}

function tooLarge(limitBytes: number): Failure {
  countRejection("body");
  return new Failure("INVALID_PARAMETER", `the body must be of at most ${limitBytes} bytes`);
}

/** Memory that each part needs beside its bytes. */
const PART_BYTES = 256;
/** Parts in which a body may arrive: each takes processor time, however small it is. */
const MAX_PARTS = 10_000;

/** Requests whose bodies were refused because they arrive in too many parts. */
const tooManyPartsIn = new WeakSet<IncomingMessage>();

function tooManyParts(): Failure {
  countRejection("body");
  return new Failure("INVALID_PARAMETER", `the body must arrive in at most ${formatCount(MAX_PARTS)} parts (chunks)`);
}

/** Throws `INVALID_PARAMETER` if a body has too many values. */
export function checkValues(body: Buffer): void {
  if (!hasTooManyValues(body)) return;
  countRejection("body");
  throw new Failure("INVALID_PARAMETER", `the body must have at most ${formatCount(MAX_VALUES)} values`);
}

/** Lists and objects with more values hold the event loop for too long, in the parser and in all later steps. */
export const MAX_VALUES = 25_000;
/** 1 for the characters before values: commas, and the brackets that open lists and objects. 0 for others. */
const COUNTS = new Uint8Array(256);
for (const character of ",[{") COUNTS[character.charCodeAt(0)] = 1;

/** True if a JSON text has too many values. Nothing is parsed, so a text with many commas in strings may be refused as well. */
export function hasTooManyValues(text: Buffer): boolean {
  if (text.length <= MAX_VALUES) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) values += COUNTS[text[at] as number] as number;
  return values > MAX_VALUES;
}

const LINGER_MS = 1_000;

/**
 * Discards the rest of the body and calls `done` when it has arrived, at the latest after one second. If the server closed
 * the connection with unread bytes, the kernel would reset it, and the caller might not see the answer.
 *
 * Calls `done` and closes the connection at once if the body was refused because it arrives in too many parts: Node.js calls back for
 * each part of the rest too, so that to discard it takes as long as to read it.
 */
export function discardBody(request: IncomingMessage, done: () => void): void {
  if (request.complete) {
    done();
    return;
  }
  if (tooManyPartsIn.has(request)) {
    done();
    closeAtOnce(request.socket);
    return;
  }
  const timer = setTimeout(done, LINGER_MS).unref();
  const finish = () => {
    clearTimeout(timer);
    done();
  };
  request.once("end", finish).once("error", finish).resume();
}

/** Closes a connection as soon as what was sent has been passed to the kernel. */
function closeAtOnce(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroySoon();
  else socket.destroy();
}
