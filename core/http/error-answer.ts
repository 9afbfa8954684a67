import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";

/** The JSON of the documented error body. */
export function errorBody(statusCode: number, message: string): string {
  return JSON.stringify({ message, statusCode, error: STATUS_CODES[statusCode] ?? "" });
}

/** The message of an answer to a request that no path or method of a server matches. */
export function notFoundMessage({ method, url = "" }: IncomingMessage): string {
  return `Cannot ${method} ${url.split("?", 1)[0]}`;
}

/** Answers with JSON that no cache keeps. Web pages of any origin may read it. */
export function answerJson(response: ServerResponse, statusCode: number, text: string): void {
  response.writeHead(statusCode, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
  });
  response.end(text);
}

/** Answers 404 with the documented error. */
export function answerNotFound(request: IncomingMessage, response: ServerResponse): void {
  answerJson(response, 404, errorBody(404, notFoundMessage(request)));
}
