import { type IncomingMessage, ServerResponse } from "node:http";
import { REQUEST_ID_HEADER, requestIdOf } from "../observability/request-id.ts";
import { headerPairs, SECURITY_HEADER_LIST, setHeaders } from "./headers.ts";

/**
 * A response that is sent with the security headers and `x-request-id`. They are added when the head is written: with those that
 * `writeHead` gets as a list of names and values, alternating, the head takes half the time that `setHeader` for each of them takes.
 */
export class DefaultedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #hasDefaults = true;

  /** Sends the response without the security headers and `x-request-id`. */
  omitDefaults(): void {
    this.#hasDefaults = false;
  }

  override writeHead(statusCode: number, ...rest: unknown[]): this {
    const write = super.writeHead as (statusCode: number, ...rest: unknown[]) => this;
    if (!this.#hasDefaults) return write.call(this, statusCode, ...rest);
    this.#hasDefaults = false;
    const [headers] = rest;
    if (!Array.isArray(headers)) {
      setDefaultHeaders(this);
      return write.call(this, statusCode, ...rest);
    }
    // `concat` copies lists in a fraction of the time of spread.
    const head = SECURITY_HEADER_LIST.concat(headers);
    head.push(REQUEST_ID_HEADER, requestIdOf(this.req));
    return write.call(this, statusCode, head);
  }
}

/**
 * Writes the head of a response with these headers, names and values alternating. On a response of a server that is not Moraine's own, the
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
