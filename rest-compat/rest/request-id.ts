import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

export const REQUEST_ID_HEADER = "x-request-id";

/** Sets the response's request id: the caller's, if it is safe in a log line and a header, or a new one. */
export function setRequestId({ headers }: IncomingMessage, response: ServerResponse): void {
  const given = headers[REQUEST_ID_HEADER];
  const isSafe = typeof given === "string" && /^[\w.:/+=@-]{1,128}$/.test(given);
  response.setHeader(REQUEST_ID_HEADER, isSafe ? given : randomUUID());
}
