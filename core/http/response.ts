import { type IncomingMessage, type OutgoingHttpHeader, ServerResponse } from "node:http";
import { REQUEST_ID_HEADER, requestIdOf } from "../observability/request-id.ts";
import { COMMON_HEADER_LIST, headerPairs, setHeaders } from "./headers.ts";

/**
 * A response that is sent with the common headers and `x-request-id`. They are added when the head is written: with those that
 * `writeHead` gets as a list of names and values, alternating, the head takes half of the time that `setHeader` for each of them takes.
 */
export class DefaultedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #hasDefaults = true;

  /** Sends the response without the common headers and `x-request-id`. */
  omitDefaults(): void {
    this.#hasDefaults = false;
  }

  override writeHead(statusCode: number, ...rest: unknown[]): this {
    if (!this.#hasDefaults) return this.#writeHead(statusCode, ...rest);
    this.#hasDefaults = false;
    const [headers] = rest;
    // A header of the list would replace one that was set before.
    if (Array.isArray(headers) && this.getHeaderNames().length === 0)
      return this.#writeHead(statusCode, [...defaultHeaders(this), ...headers]);
    setDefaultHeaders(this);
    return this.#writeHead(statusCode, ...rest);
  }

  #writeHead(statusCode: number, ...rest: unknown[]): this {
    return (super.writeHead as (statusCode: number, ...rest: unknown[]) => this).call(this, statusCode, ...rest);
  }
}

/**
 * Writes the head of a response with these headers, names and values alternating. On a response of a server that is not Moraine's own, they
 * are set one by one: middleware that wraps `writeHead` may not understand a list. Its own `vary` is kept.
 */
export function writeHead(response: ServerResponse, status: number, headers: OutgoingHttpHeader[]): ServerResponse {
  if (response instanceof DefaultedResponse) return response.writeHead(status, headers);
  for (const [name, value] of headerPairs(headers as string[]))
    if (name === "vary") response.appendHeader(name, value);
    else response.setHeader(name, value);
  return response.writeHead(status);
}

/** Sets the common headers and `x-request-id`, for a response of a server that is not Moraine's own. */
export function setDefaultHeaders(response: ServerResponse): void {
  setHeaders(response, defaultHeaders(response));
}

function defaultHeaders({ req }: ServerResponse): string[] {
  return [...COMMON_HEADER_LIST, REQUEST_ID_HEADER, requestIdOf(req)];
}

/** In UTF-16 code units. Node.js joins shorter texts with the head of a response, and sends both at once. */
const MAX_TEXT_LENGTH = 1_024;

/** What is sent of a text: its bytes in UTF-8, or a short text itself. Node.js needs much more time and memory to send a long text. */
export function bodyOf(text: string | Buffer): string | Buffer {
  return typeof text !== "string" || text.length <= MAX_TEXT_LENGTH ? text : Buffer.from(text);
}
