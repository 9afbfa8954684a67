import { type Answer, answerOf, Refusal } from "../answers.ts";
import { membersOf } from "../json-text.ts";
import { isObject } from "../params-key.ts";
import type { Recording } from "../recording.ts";
import { type Ask, okReply, parseJson, type Reply } from "../reply.ts";
import { answerAvalanche } from "./avalanche-methods.ts";
import type { Horizon } from "./visible-blocks.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** Answers an HTTP request to one of the node's own APIs as its server (gorilla's) does, as far as `horizon` lets it see. */
export function serveAvalanche(recording: Recording, ask: Ask, horizon: Horizon | null): Reply {
  if (ask.verb !== "POST") return plain(405, `rpc: POST method required, received ${ask.verb}`);
  const type = ask.contentType.split(";")[0] ?? "";
  if (type.toLowerCase() !== "application/json") return plain(415, `rpc: unrecognized Content-Type: ${type}`);
  const request = parseJson(ask.body);
  if (!isObject(request) && request !== null) return okReply(JSON_TYPE, envelope(notARequest(ask.body.trim()), "null"));
  const id = request === null ? undefined : membersOf(ask.body).get("id");
  if (request === null || id === undefined || id === "null") return { status: 200, headers: {}, body: "" };
  return okReply(JSON_TYPE, envelope(answerTo(recording, ask.path, request, horizon), id));
}

function answerTo(
  recording: Recording,
  path: string,
  request: Record<string, unknown>,
  horizon: Horizon | null,
): Answer {
  const { jsonrpc, method, params } = request;
  if (jsonrpc === "2.0") return answerAvalanche(recording, { path, method: String(method ?? ""), params, horizon });
  return refusal(-32600, "jsonrpc must be 2.0", request);
}

/** The words for a body that is no request: those of Go's JSON decoder where they can be told without it. */
function notARequest(text: string): Answer {
  return refusal(-32700, decoderMessage(text), { jsonrpc: "", method: "", params: null, id: null });
}

function decoderMessage(text: string): string {
  if (text === "") return "EOF";
  if (text.startsWith("[") && parseJson(text) !== undefined) {
    return "json: cannot unmarshal array into Go value of type json2.serverRequest";
  }
  if (/^[{["]/.test(text)) return "unexpected EOF";
  return `invalid character '${text.slice(0, 1)}' looking for beginning of value`;
}

function refusal(code: number, message: string, data: unknown): Answer {
  return answerOf(
    () => {
      throw new Refusal(code, message);
    },
    { data },
  );
}

function envelope({ kind, text }: Answer, id: string): string {
  return `{"jsonrpc":"2.0","${kind}":${text},"id":${id}}\n`;
}

function plain(status: number, body: string): Reply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}
