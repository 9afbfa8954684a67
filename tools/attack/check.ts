import { DOCUMENT_ERROR_CODES, FAILURES, isFailureCode, REQUEST_ERROR_CODES } from "../../core/errors/errors.ts";
import { isObject, parseJson } from "../../core/formats/json.ts";
import type { AttackRequest, AttackResponse, Dialect } from "./request.ts";

/**
 * What no error message may contain, unless the request contains it: traces, statements, paths and names of the program, and texts
 * of its libraries.
 */
const LEAKS: readonly RegExp[] = [
  /\bat (?:\S+ \()?(?:file|node:|\/)\S*:\d+:\d+/,
  /node_modules|file:\/\/|\.[cm]?[jt]s:\d/,
  /\/(?:work|home|root|usr|tmp|opt|var)\//,
  /\b(?:SELECT|INSERT|UPDATE|DELETE) .*\b(?:FROM|INTO|SET|WHERE)\b/,
  /\b(?:prisma|postgres(?:ql)?|pg_\w+|graphile|express|undici)\b/i,
  /\b(?:Type|Range|Reference|Syntax|Assertion)Error\b/,
  /\b(?:EPIPE|ENOENT|ERR_[A-Z_]+)\b/,
  /Cannot (?:read|set|convert|destructure)|is not (?:a function|iterable)|\[object \w+\]/,
  /invalid input syntax|relation "|out of range for type|Maximum call stack|Invalid string length|heap/i,
  /127\.0\.0\.1|localhost/,
];

const REST_STATUSES = new Set([200, 201, 204, 304, 400, 401, 403, 404, 429, 502, 503]);
const RPC_STATUSES = new Set([200, 301, 400, 401, 403, 404, 405, 411, 413, 415, 429, 502, 503]);
const GRAPHQL_STATUSES = new Set([200, 204, 400, 401, 403, 404, 405, 406, 413, 415, 429, 503]);
const STATUS_TEXTS: ReadonlyMap<number, string> = new Map(
  Object.values(FAILURES).map(({ http, status }) => [http, status]),
);
const JSON_TYPE = /^application\/(?:graphql-response\+)?json(?:;|$)/;

/** The rule of the documented form that a response breaks; null if none. */
export function brokenRule(request: AttackRequest, response: AttackResponse): string | null {
  if (response.failure !== null) return `no response: ${response.failure}`;
  return CHECKS[request.dialect](request, response);
}

type Check = (request: AttackRequest, response: AttackResponse) => string | null;

const CHECKS: Readonly<Record<Dialect, Check>> = { rest: checkRest, "json-rpc": checkRpc, graphql: checkGraphql };

/** The error messages of a response. */
export function messagesOf({ text }: AttackResponse): string[] {
  const body = parseJson(text);
  if (!isObject(body)) return [];
  const errors = Array.isArray(body["errors"]) ? body["errors"] : [body["error"]];
  const messages = errors.map((error) => (isObject(error) ? error["message"] : null));
  return [...messages, ...[body["message"]].flat()].filter((message) => typeof message === "string");
}

function leakIn(response: AttackResponse, sent: string): string | null {
  const isError = response.status >= 400 || response.text.includes('"errors"') || response.text.includes('"error"');
  if (!isError) return null;
  for (const message of messagesOf(response))
    for (const pattern of LEAKS) {
      const found = pattern.exec(message)?.[0];
      if (found !== undefined && !sent.includes(found)) return `the message contains ${JSON.stringify(found)}`;
    }
  return null;
}

/** What the request contains, so that quoting it is not taken for a leak. */
function sentText({ path, body }: AttackRequest): string {
  let decoded = path;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    // Sent as it is.
  }
  return `${path} ${decoded} ${body?.toString("utf8") ?? ""}`;
}

function checkRest(request: AttackRequest, response: AttackResponse): string | null {
  const { status, contentType, text } = response;
  if (!REST_STATUSES.has(status)) return `status ${status} is not documented`;
  if (request.method === "HEAD" || status === 204 || status === 304)
    return text === "" ? null : "a response without content has a body";
  if (status === 200) return /json/.test(contentType) && parseJson(text) === undefined ? "the body is not JSON" : null;
  if (contentType !== "application/json; charset=utf-8") return `an error has the content type ${contentType}`;
  const body = parseJson(text);
  if (!isObject(body)) return "the body of an error is not a JSON object";
  if (Object.keys(body).sort().join() !== "error,message,statusCode") return "the body has other members";
  if (body["statusCode"] !== status || body["error"] !== STATUS_TEXTS.get(status)) return "the body has another status";
  const messages = [body["message"]].flat();
  if (messages.length === 0 || !messages.every((message) => typeof message === "string" && message !== ""))
    return "the message is not a text or a list of texts";
  return leakIn(response, sentText(request));
}

function checkRpc(request: AttackRequest, response: AttackResponse): string | null {
  const { status, contentType, text } = response;
  if (!RPC_STATUSES.has(status)) return `status ${status} is not documented`;
  if (request.method === "HEAD" || text === "") return null;
  if (contentType.startsWith("text/plain")) return leakOfText(text, sentText(request));
  const body = parseJson(text);
  // Ids are sent back byte for byte, so the body may be invalid where the id was.
  if (body === undefined) return text.startsWith('{"jsonrpc":"2.0",') ? null : "the body is not JSON";
  if (!isObject(body)) return "the body is not a JSON object";
  if ("healthy" in body) return null;
  if (body["jsonrpc"] !== "2.0" || !("id" in body)) return "the body is not a JSON-RPC response";
  if ("result" in body === "error" in body) return "the body has not exactly one of result and error";
  const { error } = body;
  if (error === undefined) return null;
  if (!isObject(error) || !Number.isInteger(error["code"]) || typeof error["message"] !== "string")
    return "the error has no code or message";
  if (error["code"] === FAILURES.INTERNAL.rpc) return "the error is INTERNAL";
  return leakIn(response, sentText(request));
}

function leakOfText(text: string, sent: string): string | null {
  const found = LEAKS.map((pattern) => pattern.exec(text)?.[0]).find((match) => match && !sent.includes(match));
  return found ? `the text contains ${JSON.stringify(found)}` : null;
}

function checkGraphql(request: AttackRequest, response: AttackResponse): string | null {
  const { status, contentType, text } = response;
  if (!GRAPHQL_STATUSES.has(status)) return `status ${status} is not documented`;
  if (request.method === "HEAD") return null;
  if (status === 406 && text === "") return null;
  if (contentType.startsWith("text/event-stream")) return null;
  if (!JSON_TYPE.test(contentType)) return `the content type is ${JSON.stringify(contentType)}`;
  const body = parseJson(text);
  if (!isObject(body)) return "the body is not a JSON object";
  if (!("data" in body) && !("errors" in body)) return "the body has neither data nor errors";
  const { errors = [] } = body;
  if (!Array.isArray(errors)) return "errors is not a list";
  if ("errors" in body && errors.length === 0) return "errors is empty";
  if (status >= 400 && errors.length === 0) return "an error status has no errors";
  for (const error of errors) {
    const reason = brokenErrorRule(error);
    if (reason) return reason;
  }
  return leakIn(response, sentText(request));
}

function brokenErrorRule(error: unknown): string | null {
  if (!isObject(error) || typeof error["message"] !== "string") return "an error has no message";
  const unknownMembers = Object.keys(error).filter(
    (name) => !["message", "locations", "path", "extensions"].includes(name),
  );
  if (unknownMembers.length > 0) return `an error has the member ${unknownMembers[0]}`;
  const extensions = isObject(error["extensions"]) ? error["extensions"] : {};
  const { code } = extensions;
  if (code === "INTERNAL") return "the error is INTERNAL";
  if (!isFailureCode(code) && !DOCUMENT_ERROR_CODES.has(code) && !REQUEST_ERROR_CODES.has(code))
    return `an error has the code ${JSON.stringify(code)}: ${String(error["message"]).slice(0, 60)}`;
  const others = Object.keys(extensions).filter((name) => name !== "code");
  return others.length > 0 ? `the extensions of an error have the member ${others[0]}` : null;
}
