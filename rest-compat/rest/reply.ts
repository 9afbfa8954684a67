import type { ServerResponse } from "node:http";
import { FAILURES, type Failure } from "../../core/errors.ts";
import type { Base } from "../routes.ts";

/** Status and body of a response. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** How an error's `message` is written: as a string, or as an array of strings on metrics routes. */
export type MessageForm = "text" | "list";

export function formOf(base: Base): MessageForm {
  return base === "metrics" ? "list" : "text";
}

const JSON_TYPE = "application/json; charset=utf-8";

export function jsonReply(status: number, text: string): Reply {
  return { status, contentType: JSON_TYPE, text };
}

export function htmlReply(text: string): Reply {
  return { status: 200, contentType: "text/html; charset=utf-8", text };
}

/** The documented error body: `message`, `statusCode` and `error`. A list has an entry for each line of `message`. */
export function errorReply(code: Failure["code"], message: string, form: MessageForm): Reply {
  const { http, status } = FAILURES[code];
  const body = { message: form === "list" ? message.split("\n") : message, statusCode: http, error: status };
  return jsonReply(http, JSON.stringify(body));
}

/** Sends a reply, with the headers that the response already has and `headers`, names and values alternating. */
export function send(response: ServerResponse, reply: Reply, headers: readonly string[]): void {
  setHead(response, reply, headers);
  response.end(reply.text);
}

/** Sends a reply with `connection: close`. Returns the function that ends the response, after which Node closes the connection. */
export function sendWithoutEnd(response: ServerResponse, reply: Reply, headers: readonly string[]): () => void {
  setHead(response, reply, headers);
  response.setHeader("connection", "close");
  response.write(reply.text);
  return () => void response.end();
}

function setHead(response: ServerResponse, { status, contentType, text }: Reply, headers: readonly string[]): void {
  response.statusCode = status;
  for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i] as string, headers[i + 1] as string);
  response.setHeader("content-type", contentType);
  response.setHeader("content-length", Buffer.byteLength(text));
}
