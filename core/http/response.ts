import { type IncomingMessage, ServerResponse } from "node:http";
import { REQUEST_ID_HEADER, requestIdOf } from "../observability/request-id.ts";
import { headerLines, headerPairs, SECURITY_HEADER_LIST, setHeaders } from "./headers.ts";

/** Headers that change what Node.js does. It has to see them among the headers that it writes itself. */
const READ_BY_NODE: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "expect",
  "keep-alive",
  "trailer",
  "transfer-encoding",
]);

const SECURITY_LINES = headerLines(SECURITY_HEADER_LIST);

/** What Node.js calls with the first line of a head and the headers that `writeHead` got. Its types do not declare it. */
type StoreHeader = (this: ServerResponse, firstLine: string, headers: unknown) => void;

const storeHeader = (ServerResponse.prototype as unknown as { _storeHeader: StoreHeader })._storeHeader;

/**
 * A response that is sent with the security headers and `x-request-id`. They are added when the head is written: with those that
 * `writeHead` gets as a list of names and values, alternating, the head takes a fraction of the time that `setHeader` for each of them
 * takes.
 */
export class DefaultedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #hasDefaults = true;
  /** Lines that the head has after its first one. */
  #lines = "";

  /** Sends the response without the security headers and `x-request-id`. */
  omitDefaults(): void {
    this.#hasDefaults = false;
  }

  override writeHead(statusCode: number, ...rest: unknown[]): this {
    const write = super.writeHead as (statusCode: number, ...rest: unknown[]) => this;
    if (!this.#hasDefaults) return write.call(this, statusCode, ...rest);
    this.#hasDefaults = false;
    const [headers] = rest;
    // A header of the list replaces one that was set before.
    if (!Array.isArray(headers) || this.getHeaderNames().length > 0) {
      setDefaultHeaders(this);
      return write.call(this, statusCode, ...rest);
    }
    return write.call(this, statusCode, this.#withoutLines(headers));
  }

  /** Writes the lines of a list of headers, and returns those that Node.js has to write. */
  #withoutLines(headers: readonly string[]): string[] {
    const left: string[] = [];
    let lines = SECURITY_LINES;
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at] as string;
      const value = headers[at + 1] as string;
      if (READ_BY_NODE.has(name)) left.push(name, value);
      else lines += `${name}: ${value}\r\n`;
    }
    this.#lines = `${lines}${REQUEST_ID_HEADER}: ${requestIdOf(this.req)}\r\n`;
    return left;
  }

  /** Node.js checks each name and value of its list, and compares it with those that it knows, which takes five times as long. */
  _storeHeader(firstLine: string, headers: unknown): void {
    storeHeader.call(this, firstLine + this.#lines, headers);
  }
}

/**
 * Writes the head of a response with these headers, names and values alternating. Values are not checked: one that comes from a caller
 * must have no line break. Headers of HTTP itself have names in lower case. On a response of a server that is not Moraine's own, the
 * headers are set one by one: middleware that wraps `writeHead` may not understand a list. Its own `vary` is kept.
 */
export function writeHead(response: ServerResponse, status: number, headers: readonly string[]): ServerResponse {
  if (response instanceof DefaultedResponse) return response.writeHead(status, headers);
  for (const [name, value] of headerPairs(headers))
    if (name === "vary") response.appendHeader(name, value);
    else response.setHeader(name, value);
  return response.writeHead(status);
}

/** Sets the security headers and `x-request-id`, for a response of a server that is not Moraine's own. */
export function setDefaultHeaders(response: ServerResponse): void {
  setHeaders(response, SECURITY_HEADER_LIST);
  response.setHeader(REQUEST_ID_HEADER, requestIdOf(response.req));
}
