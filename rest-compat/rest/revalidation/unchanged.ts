import type { IncomingMessage } from "node:http";
import { isCurrent } from "../../../core/http/headers.ts";
import type { Work } from "../../../core/work/work.ts";
import type { HeadKind } from "../../routes.ts";
import type { Heads } from "./heads.ts";

/**
 * How long a response counts as unchanged while its chain has no new block. Data that is not from blocks, such as the metadata of
 * a token, and repaired or reorganised blocks of the same height appear at the latest after this time.
 */
const MAX_AGE_MS = 10_000;
/** Maximum number of responses that are remembered. The oldest one is forgotten first. */
const MAX_RESPONSES = 1_000;

interface Remembered {
  readonly etag: string;
  readonly head: string;
  readonly untilMs: number;
}

/** A request with `If-None-Match`. */
export interface ConditionalRequest {
  /** True if the response that the caller has is known to be current. */
  isCurrent(variables: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** The tag of that response; null if it is not current, or if this is not known yet. */
  readonly currentTag: string | null;
  /** Remembers the tag of the response to this request. */
  remember(etag: string): void;
}

/** Answers repeated conditional requests without reading the rows again, as long as the head of their chain is the same. */
export type Unchanged = (request: IncomingMessage, kind: HeadKind, work: Work) => ConditionalRequest;

export function createUnchanged(heads: Heads, nowMs: () => number): Unchanged {
  const responses = new Map<string, Remembered>();
  return (request, kind, work) => {
    const url = request.url ?? "";
    let head: string | null = null;
    let currentTag: string | null = null;
    return {
      async isCurrent(variables) {
        // The head is read before the rows, so a remembered response is at least as new as its head.
        head = await heads.read(kind, variables, work);
        const known = responses.get(url);
        const isValid = known !== undefined && known.head === head && known.untilMs > nowMs();
        currentTag = isValid && isCurrent(request, known.etag) ? known.etag : null;
        return currentTag !== null;
      },
      get currentTag() {
        return currentTag;
      },
      remember(etag) {
        if (head === null) return;
        responses.delete(url);
        responses.set(url, { etag, head, untilMs: nowMs() + MAX_AGE_MS });
        const [oldest] = responses.keys();
        if (responses.size > MAX_RESPONSES && oldest !== undefined) responses.delete(oldest);
      },
    };
  };
}
