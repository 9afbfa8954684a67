import type { IncomingMessage } from "node:http";
import type { JsonText } from "../../core/graph/answer-text.ts";
import type { HttpDocument } from "../../core/http/document.ts";
import type { LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import type { Work } from "../../core/work/work.ts";
import type { Base, Method } from "../routes.ts";

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

/** Status and body of a response. */
export interface Reply {
  readonly status: number;
  readonly text: JsonText;
  /** What is sent: `text`, or its bytes if it is long. Node.js needs much more time and memory to send a long text. */
  readonly body: string | Buffer;
  /** The entity tag of `text`. Caches store only a reply with a tag. */
  readonly etag?: string;
}

/** A reply with a document that is the same for all requests. */
export interface DocumentReply {
  readonly document: HttpDocument;
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
