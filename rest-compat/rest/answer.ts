import type { IncomingMessage } from "node:http";
import type { LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import type { Work } from "../../core/work/work.ts";
import type { Base, Method } from "../routes.ts";
import type { DocumentReply, Reply } from "./reply.ts";

/** A request, as the handler of a path receives it. */
export interface RestRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly work: Work;
  /** Decoded parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** The query without the question mark, still percent-encoded. */
  readonly query: string;
  /** Null if the request has none, or if code before the Router has read it. */
  readonly body: Buffer | null;
  /** Names and values, alternating, of headers to send with the response, whether it succeeds or fails. */
  readonly headers: string[];
}

/** Answers a request. Throws a `Failure` for a request that it refuses. */
export type Answer = (request: RestRequest) => Reply | DocumentReply | Promise<Reply>;

/** A path template with one method. `base` selects the form of its errors. */
export interface Endpoint {
  readonly path: string;
  readonly method: Method;
  readonly base: Base;
  readonly answer: Answer;
  /** The rate limit headers of a request whose body is refused. Not set for probes and documents, which have none. */
  readonly limitHeadersOf?: LimitHeadersOf;
}
