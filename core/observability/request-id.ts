import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export const REQUEST_ID_HEADER = "x-request-id";

/** The given id if it is safe to write into a log line and a header, else a new one. */
export function safeRequestId(given: unknown): string {
  return typeof given === "string" && /^[\w.:/+=@-]{1,128}$/.test(given) ? given : randomUUID();
}

const ID = Symbol("requestId");

interface IdentifiedRequest {
  readonly headers: IncomingHttpHeaders;
  [ID]?: string;
}

/** The id of a request, which replaces an unsafe or missing one in its headers: every later call returns the same. */
export function requestIdOf(request: { readonly headers: IncomingHttpHeaders }): string {
  const identified = request as IdentifiedRequest;
  identified[ID] ??= replaceId(identified.headers);
  return identified[ID];
}

function replaceId(headers: IncomingHttpHeaders): string {
  const given = headers[REQUEST_ID_HEADER];
  const id = safeRequestId(given);
  if (id !== given) headers[REQUEST_ID_HEADER] = id;
  return id;
}
