import type { IncomingMessage } from "node:http";
import { Failure } from "../../core/errors.ts";

/** True when the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/** Reads the body to its end; fails with `INVALID_PARAMETER` as soon as it is known to be larger than `limitBytes`. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const tooLarge = () => new Failure("INVALID_PARAMETER", `the body must be of at most ${limitBytes} bytes`);
  if (Number(request.headers["content-length"]) > limitBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
  });
}

const LINGER_MS = 1_000;

/**
 * Calls `done` once the caller has sent all, or after a second. Closing a connection with unread bytes resets it, and the
 * caller might never see the answer.
 */
export function discardBody(request: IncomingMessage, done: () => void): void {
  const timer = setTimeout(done, LINGER_MS).unref();
  const finish = () => {
    clearTimeout(timer);
    done();
  };
  request.once("end", finish).once("error", finish).resume();
}
