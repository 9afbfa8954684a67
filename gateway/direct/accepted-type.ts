const TYPES = ["application/graphql-response+json", "application/json"] as const;

export type AnswerType = (typeof TYPES)[number];

/** Clients send few different values of the header. */
const MAX_KNOWN_HEADERS = 100;
const known = new Map<string, Accepted>();

/** What an `Accept` header allows. */
interface Accepted {
  readonly type: AnswerType | null;
  /** False if no operation can be answered. */
  readonly allowsAnswers: boolean;
}

/**
 * The media type of a GraphQL answer for an `Accept` header, by the rules of the runtime: the first type in the header that is one of an
 * answer; JSON if both match. Null if the header has none of them, or if it asks for a character set.
 */
export function acceptedType(accept = "*/*"): AnswerType | null {
  return acceptedOf(accept).type;
}

/** What the runtime can answer with: also events, and parts of a result. */
const ALL_TYPES: readonly string[] = [...TYPES, "text/event-stream", "multipart/mixed"];

/** False if an `Accept` header allows no media type in which an operation can be answered. */
export function acceptsAnswers(accept: string | undefined): boolean {
  return acceptedOf(accept || "*/*").allowsAnswers;
}

function acceptedOf(accept: string): Accepted {
  const found = known.get(accept);
  if (found) return found;
  const entries = accept.replace(/\s/g, "").toLowerCase().split(",");
  const type = accept.includes("charset") ? null : firstType(entries);
  const accepted = { type, allowsAnswers: entries.some(allowsAnswer) };
  if (known.size >= MAX_KNOWN_HEADERS) known.clear();
  known.set(accept, accepted);
  return accepted;
}

function allowsAnswer(entry: string): boolean {
  const [range = "", ...parameters] = entry.split(";");
  const charset = parameters.find((parameter) => parameter.includes("charset="));
  return (charset === undefined || charset === "charset=utf-8") && ALL_TYPES.some((type) => isInRange(type, range));
}

function isInRange(type: string, range: string): boolean {
  const [main, sub] = type.split("/");
  const [rangeMain, rangeSub] = range.split("/");
  return (rangeMain === "*" || rangeMain === main) && (rangeSub === "*" || rangeSub === sub);
}

function firstType(accepted: readonly string[]): AnswerType | null {
  for (const entry of accepted) {
    const [range = ""] = entry.split(";");
    const types = TYPES.filter((type) => range === "*/*" || range === "application/*" || range === type);
    const last = types.at(-1);
    if (last) return last;
  }
  return null;
}
