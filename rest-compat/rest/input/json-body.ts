import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import type { GraphQLInputType } from "graphql";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { JsonSyntaxError, onlyValue, partOf } from "../../http/json/scanner.ts";
import { compileInput } from "./input-type.ts";

/** Reads a JSON body. Throws `INVALID_PARAMETER` (see `ReadInput`), also if `body` is null because the request has none. */
export type ParseBody = (body: Uint8Array | null, headers: IncomingHttpHeaders) => unknown;

/** Compiles the type of the variable that takes the body: strict, with no unknown, repeated or null members. */
export function compileBody(type: GraphQLInputType): ParseBody {
  const read = compileInput(type);
  return (body, headers) => {
    requireJson(headers);
    if (!body?.length) throw invalid("the body must be an object, got an empty body");
    if (!isUtf8(body)) throw invalid("the body must be UTF-8");
    return read(partOf(body, jsonIn(body)), "");
  };
}

/**
 * The media type is required: a web page of another origin can send JSON only after a preflight, but a body without a media type, or with
 * that of a form or a text, at once.
 */
function requireJson({ "content-type": type = "", "content-encoding": encoding = "identity" }: IncomingHttpHeaders) {
  const [mediaType = ""] = type.split(";", 1);
  if (type === "") throw invalid("content-type must be application/json, got no content-type");
  if (mediaType.trim().toLowerCase() !== "application/json")
    throw invalid(`content-type must be application/json, got ${quoted(type)}`);
  if (encoding.toLowerCase() !== "identity")
    throw invalid(`content-encoding must be identity, got ${quoted(encoding)}`);
}

function jsonIn(body: Uint8Array) {
  try {
    return onlyValue(body);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? invalid(`the body must be JSON: ${error.message}`) : error;
  }
}

function invalid(message: string): Failure {
  return new Failure("INVALID_PARAMETER", message);
}
