import type { IncomingMessage } from "node:http";
import getRawBody from "raw-body";
import { Failure } from "../errors.ts";
import { countRejection } from "../observability/rejections.ts";

/** True if the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/** True if the request announces a body that has not arrived completely. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete;
}

/** Reads the whole body. Throws `INVALID_PARAMETER` as soon as the body is known to exceed `limitBytes`. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit: limitBytes, length: request.headers["content-length"] ?? null });
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    countRejection("body");
    throw new Failure("INVALID_PARAMETER", `the body must be of at most ${limitBytes} bytes`);
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Object && "type" in error && error.type === "entity.too.large";
}

const LINGER_MS = 1_000;

/**
 * Discards the rest of the body and calls `done` when it has arrived, at the latest after one second. If the server closed
 * the connection with unread bytes, the kernel would reset it, and the caller might not see the answer.
 */
export function discardBody(request: IncomingMessage, done: () => void): void {
  const timer = setTimeout(done, LINGER_MS).unref();
  const finish = () => {
    clearTimeout(timer);
    done();
  };
  request.once("end", finish).once("error", finish).resume();
}
