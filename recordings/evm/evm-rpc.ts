import { isObject, parseJson } from "../../core/formats/json.ts";
import { type Answer, answerOf, Refusal } from "../answers.ts";
import { elementsOf, membersOf } from "../json-text.ts";
import { type NodeRequest, okReply, type Reply, textReply } from "../reply.ts";
import type { EvmChain } from "./evm-chain.ts";
import { answerEvm } from "./evm-methods.ts";

/** Limits of a node with default options. */
const MAX_BATCH = 1000;
const MAX_BATCH_RESPONSE_BYTES = 25_000_000;
const JSON_TYPE = "application/json";

/** Answers an HTTP request to a chain's `/rpc` as the node's RPC server (geth) does, with the head at that height. */
export function serveEvm(chain: EvmChain, head: number, request: NodeRequest): Reply {
  if (request.verb === "GET" && request.body === "" && request.query === "")
    return { status: 200, headers: {}, body: "" };
  if (request.verb === "PUT" || request.verb === "DELETE") return textReply(405, "method not allowed\n");
  if (!/^application\/json(-rpc|request)?\s*(;|$)/i.test(request.contentType)) {
    return textReply(415, "invalid content type, only application/json is supported\n");
  }
  return okReply(JSON_TYPE, bodyFor(chain, head, request.body.trim()));
}

function bodyFor(chain: EvmChain, head: number, text: string): string {
  if (text === "") return "";
  if (parseJson(text) === undefined) return refused("null", -32700, "parse error");
  if (!text.startsWith("[")) return line(respond(chain, head, text));
  const messages = elementsOf(text);
  if (messages.length === 0) return refused("null", -32600, "empty batch");
  if (messages.length > MAX_BATCH) return `[${refused(firstId(messages), -32600, "batch too large")}]`;
  return respondToBatch(chain, head, messages);
}

function respondToBatch(chain: EvmChain, head: number, messages: readonly string[]): string {
  const responses: string[] = [];
  let bytes = 0;
  for (const message of messages) {
    const isFull = bytes > MAX_BATCH_RESPONSE_BYTES;
    const response = isFull ? tooLarge(message) : respond(chain, head, message);
    bytes += response.length;
    if (response) responses.push(response);
  }
  return line(responses.length > 0 ? `[${responses.join()}]` : "");
}

/** The response to one message; empty for a notification. */
function respond(chain: EvmChain, head: number, text: string): string {
  const message = parseJson(text);
  const { jsonrpc, method, params } = isObject(message) ? message : {};
  const id = idOf(text);
  const isInvalidId = id !== undefined && /^[{[]/.test(id);
  if (jsonrpc !== "2.0" || typeof method !== "string" || method === "" || isInvalidId) {
    return refused(isInvalidId ? "null" : (id ?? "null"), -32600, "invalid request");
  }
  if (id === undefined) return "";
  return envelope(id, isPositional(params) ? answerEvm(method, { chain, head, params: params ?? [] }) : NOT_POSITIONAL);
}

const NOT_POSITIONAL = answerOf(() => {
  throw new Refusal(-32602, "non-array args");
});

function isPositional(params: unknown): params is unknown[] | null | undefined {
  return params === undefined || params === null || Array.isArray(params);
}

/** The id in the text of the message, so that numbers and escapes are returned as they were sent. */
function idOf(message: string): string | undefined {
  return message.startsWith("{") ? membersOf(message).get("id") : undefined;
}

function firstId(messages: readonly string[]): string {
  return messages.map(idOf).find((id) => id !== undefined) ?? "null";
}

function tooLarge(message: string): string {
  const id = idOf(message);
  return id === undefined ? "" : refused(id, -32003, "response too large");
}

function refused(id: string, code: number, message: string): string {
  return envelope(id, { kind: "error", text: JSON.stringify({ code, message }) });
}

function envelope(id: string, { kind, text }: Answer): string {
  return `{"jsonrpc":"2.0","id":${id},"${kind}":${text}}`;
}

function line(text: string): string {
  return text && `${text}\n`;
}
