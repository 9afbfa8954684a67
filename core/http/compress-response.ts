import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { acceptedEncodings, type CompressedBody, compressFor } from "./compression.ts";

/**
 * Compresses the body of a JSON response that other code writes as one string, if the caller accepts it and the body is long.
 * Other responses, such as event streams, are sent as they are written. Call it before the response is written to.
 */
export function compressJsonResponse(request: IncomingMessage, response: ServerResponse): void {
  const accepted = acceptedEncodings(request);
  if (!accepted.gzip && !accepted.br) return;
  const { writeHead, write, end } = response;
  let hasHead = false;
  /** The text that is written so far. Null if the response is sent as it is written. */
  let held: string | null = null;

  /** Sends the head, and the text that was held back. */
  const release = (): void => {
    writeHead.call(response, response.statusCode);
    if (held) write.call(response, held, "utf8");
    held = null;
  };
  const sendCompressed = ({ encoding, body }: CompressedBody): void => {
    // The caller has gone.
    if (response.destroyed) return;
    response.setHeader("content-encoding", encoding);
    response.setHeader("content-length", body.length);
    response.appendHeader("vary", "accept-encoding");
    writeHead.call(response, response.statusCode);
    end.call(response, body, "utf8");
  };
  const finish = (text: string): void => {
    const compressed = compressFor(request, text);
    if (compressed === null) {
      release();
      end.call(response, null, "utf8");
    } else if (compressed instanceof Promise)
      compressed.then(sendCompressed, (error: Error) => response.destroy(error));
    else sendCompressed(compressed);
  };

  response.writeHead = (status: number, ...rest: unknown[]) => {
    hasHead = true;
    response.statusCode = status;
    if (typeof rest[0] === "string") response.statusMessage = rest[0];
    for (const [name, value] of Object.entries(rest.find(isHeaders) ?? {}))
      if (value !== undefined) response.setHeader(name, value);
    if (String(response.getHeader("content-type")).includes("json")) held = "";
    else writeHead.call(response, status);
    return response;
  };
  response.write = (...args: unknown[]) => {
    const [chunk] = args;
    if (!hasHead) response.writeHead(response.statusCode);
    if (held === "" && typeof chunk === "string") {
      held = chunk;
      return true;
    }
    if (held !== null) release();
    return write.apply(response, args as Parameters<typeof write>);
  };
  response.end = (...args: unknown[]) => {
    const [chunk] = args;
    if (chunk && typeof chunk !== "function") response.write(chunk);
    else if (!hasHead) response.writeHead(response.statusCode);
    if (held === null) end.call(response, null, "utf8");
    else finish(held);
    return response;
  };
}

function isHeaders(value: unknown): value is OutgoingHttpHeaders {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
