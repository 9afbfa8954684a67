import Negotiator from "negotiator";
import { cached } from "../../core/caches/cached.ts";

/** How a result, or the events of a subscription, are sent. */
export type AnswerType = (typeof JSON_TYPES)[number];
export type StreamType = (typeof STREAM_TYPES)[number];

const JSON_TYPES = ["application/json", "application/graphql-response+json"] as const;
const STREAM_TYPES = ["text/event-stream", "multipart/mixed"] as const;

/** What an `Accept` header allows. */
export interface Accepted {
  /** How a result is sent: as JSON, or as the only event of a stream, in multipart only if nothing else is accepted. Null for nothing. */
  readonly result: AnswerType | StreamType | null;
  /** How events are sent; null if no stream is accepted. */
  readonly stream: StreamType | null;
  /** True if a page is preferred to all results, as browsers do. */
  readonly prefersPage: boolean;
}

/** The forms in which clients write the types, in the order in which those are used that a client accepts equally. */
const FORMS: ReadonlyMap<string, AnswerType | StreamType> = new Map([
  ...JSON_TYPES.flatMap((type) => [[type, type] as const, [`${type}; charset=utf-8`, type] as const]),
  ["text/event-stream", "text/event-stream"],
  ["text/event-stream; charset=utf-8", "text/event-stream"],
  // The protocol of Apollo Client.
  ...["subscriptionSpec=1.0", "boundary=graphql; subscriptionSpec=1.0", "boundary=-; subscriptionSpec=1.0"].map(
    (parameters) => [`multipart/mixed; ${parameters}`, "multipart/mixed"] as const,
  ),
]);

export function isStreamType(type: AnswerType | StreamType): type is StreamType {
  return (STREAM_TYPES as readonly string[]).includes(type);
}

const PAGE = "text/html";

/** Clients send few different values of the header. */
const MAX_KNOWN_HEADERS = 100;

const acceptedIn = cached((header): Accepted => {
  const preferred = new Negotiator({ headers: { accept: header } }).mediaTypes([...FORMS.keys(), PAGE]);
  const types = preferred.flatMap((form) => FORMS.get(form) ?? []);
  const result = types.find((type) => type !== "multipart/mixed") ?? types[0] ?? null;
  return { result, stream: types.find(isStreamType) ?? null, prefersPage: preferred[0] === PAGE };
}, MAX_KNOWN_HEADERS);

/** Reads an `Accept` header, by its weights (RFC 9110, 12.5.1). Without one, everything is accepted. */
export function acceptedBy(accept: string | undefined): Accepted {
  return acceptedIn(accept || "*/*");
}
