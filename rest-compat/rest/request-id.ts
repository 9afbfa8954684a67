import type { IncomingMessage, ServerResponse } from "node:http";
import { REQUEST_ID_HEADER, requestIdOf } from "../../core/observability/request-id.ts";

/** Sets the response's request id: the caller's, if it is safe in a log line and a header, or a new one. */
export function setRequestId(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader(REQUEST_ID_HEADER, requestIdOf(request));
}
