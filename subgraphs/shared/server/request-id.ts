import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

export const REQUEST_ID = "x-request-id";

/**
 * The id that the gateway sent if it is safe to write into a log line and a header, else a new one. A second call for the
 * same request returns the same id.
 */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[REQUEST_ID];
  const id = typeof given === "string" && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
  headers[REQUEST_ID] = id;
  return id;
}
