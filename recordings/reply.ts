/** A request as a dialect of the node sees it; `path` is without query and in the recording's spelling. */
export interface Ask {
  readonly verb: string;
  readonly path: string;
  readonly query: string;
  readonly contentType: string;
  readonly body: string;
}

/** What goes back over HTTP. */
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A plain text answer as Go's HTTP server writes it. */
export function textReply(status: number, body: string): Reply {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body,
  };
}

/** Go's answer for a path that nothing is mounted at. */
export const NOT_FOUND = textReply(404, "404 page not found\n");

/** A good answer of that content type. */
export function okReply(contentType: string, body: string): Reply {
  return { status: 200, headers: { "content-type": contentType }, body };
}

/** The JSON value of a text; undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
