/** An HTTP request to the replay node. `path` has no query and is spelled as in the recording. */
export interface NodeRequest {
  readonly verb: string;
  readonly path: string;
  readonly query: string;
  readonly contentType: string;
  readonly body: string;
}

/** An HTTP response. */
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A plain text response in the form of Go's HTTP server. */
export function textReply(status: number, body: string): Reply {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body,
  };
}

/** Go's response for a path without a handler. */
export const NOT_FOUND = textReply(404, "404 page not found\n");

/** A response with status 200. */
export function okReply(contentType: string, body: string): Reply {
  return { status: 200, headers: { "content-type": contentType }, body };
}
