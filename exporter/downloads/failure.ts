import type { IncomingMessage, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import { FAILURES, Failure } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly logger: Logger;
}

/** Headers of the file, which an error response must not have. */
const FILE_HEADERS = ["etag", "content-disposition", "cache-control", "last-modified", "accept-ranges"];

interface Problem {
  readonly statusCode: number;
  readonly error: string;
  readonly message: string;
}

/** Sends the documented error body. A response that has begun is aborted, so that the client sees that it is not complete. */
export function sendFailure(error: unknown, { request, response, requestId, logger }: Exchange): void {
  const { statusCode, error: status, message } = problemOf(error, requestId);
  if (statusCode >= 500) logger.error({ requestId, method: request.method, err: error }, "a download failed");
  if (response.headersSent) return void response.destroy();
  for (const name of FILE_HEADERS) response.removeHeader(name);
  const body = JSON.stringify({ message, statusCode, error: status });
  response.writeHead(statusCode, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** The file is not the one that the request's If-Match asks for. */
export class ConditionFailed extends Error {
  readonly status = 412;
}

/** Messages for conditions of a request that the file does not meet, by HTTP status. */
const CONDITIONS: ReadonlyMap<unknown, string> = new Map([
  [412, "the file is another one than the request's If-Match or If-Unmodified-Since asks for"],
  [416, "the Range lies outside the file"],
]);

function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Failure && error.code !== "INTERNAL") {
    const { http, status } = FAILURES[error.code];
    return { statusCode: http, error: status, message: error.message };
  }
  const { status } = Object(error) as { readonly status?: unknown };
  const condition = CONDITIONS.get(status);
  if (condition) return { statusCode: Number(status), error: STATUS_CODES[Number(status)] ?? "", message: condition };
  return {
    statusCode: 500,
    error: "Internal Server Error",
    message: `unexpected error, the log has it under request id ${requestId}`,
  };
}
