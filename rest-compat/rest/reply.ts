import type { ServerResponse } from "node:http";
import { FAILURES, type Failure } from "../../core/errors.ts";
import type { Base } from "../routes.ts";

/** What is sent, but for the headers that the request gathered on its way. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** How `message` of an error is written: a string, or an array of strings on metrics routes. */
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

/** The documented error body. */
export function failureReply({ code, message }: Failure, form: MessageForm): Reply {
  const { http, status } = FAILURES[code];
  const body = { message: form === "list" ? [message] : message, statusCode: http, error: status };
  return jsonReply(http, JSON.stringify(body));
}

/** Sends the reply; `headers` are names and values in turn. */
export function send(response: ServerResponse, reply: Reply, headers: readonly string[]): void {
  writeHead(response, reply, headers);
  response.end(reply.text);
}

/** Sends the reply as the connection's last, and returns what closes it. */
export function sendAndLinger(response: ServerResponse, reply: Reply, headers: readonly string[]): () => void {
  writeHead(response, reply, [...headers, "connection", "close"]);
  response.write(reply.text);
  return () => void response.end();
}

function writeHead(response: ServerResponse, { status, contentType, text }: Reply, headers: readonly string[]): void {
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, [...headers, "content-type", contentType, "content-length", length]);
}
