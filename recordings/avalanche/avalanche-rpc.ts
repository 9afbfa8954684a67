import { isObject, parseJson } from "../../core/formats/json.ts";
import { type Answer, answerOf, Refusal } from "../answers.ts";
import { membersOf } from "../json-text.ts";
import type { Recording } from "../recording.ts";
import { type NodeRequest, okReply, type Reply } from "../reply.ts";
import { answerAvalanche } from "./avalanche-methods.ts";
import type { VisibleBlocks } from "./visible-blocks.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** Answers an HTTP request to one of avalanchego's own APIs as its RPC server (gorilla/rpc) does. Blocks that are not `visible` do not exist. */
export function serveAvalanche(recording: Recording, request: NodeRequest, visible: VisibleBlocks | null): Reply {
  if (request.verb !== "POST") return plain(405, `rpc: POST method required, received ${request.verb}`);
  const type = request.contentType.split(";")[0] ?? "";
  if (type.toLowerCase() !== "application/json") return plain(415, `rpc: unrecognized Content-Type: ${type}`);
  const call = parseJson(request.body);
  if (!isObject(call) && call !== null) return okReply(JSON_TYPE, envelope(parseError(request.body.trim()), "null"));
  const id = call === null ? undefined : membersOf(request.body).get("id");
  if (call === null || id === undefined || id === "null") return { status: 200, headers: {}, body: "" };
  return okReply(JSON_TYPE, envelope(answerTo(recording, request.path, call, visible), id));
}

function answerTo(
  recording: Recording,
  path: string,
  request: Record<string, unknown>,
  visible: VisibleBlocks | null,
): Answer {
  const { jsonrpc, method, params } = request;
  if (jsonrpc === "2.0") return answerAvalanche(recording, { path, method: String(method ?? ""), params, visible });
  return refusal(-32600, "jsonrpc must be 2.0", request);
}

/**
 * The error for a body that is not a request object. It has the message of Go's JSON decoder for an empty body, a list, a truncated
 * object and plain text; for other bodies the message can differ.
 */
function parseError(text: string): Answer {
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
