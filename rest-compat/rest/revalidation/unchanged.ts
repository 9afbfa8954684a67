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

export interface ConditionalRequest {
  /** The tag that the caller has, if the response with it is known to be current. */
  readonly currentTag: string | null;
  /** Remembers the tag of the response to this request. */
  remember(etag: string): void;
}

/** Answers repeated conditional requests without reading the rows again, as long as the head of their chain is the same. */
export interface Unchanged {
  of(
    request: IncomingMessage,
    kind: HeadKind,
    variables: Readonly<Record<string, unknown>>,
    work: Work,
  ): Promise<ConditionalRequest>;
}

const UNKNOWN_HEAD: ConditionalRequest = { currentTag: null, remember: () => {} };

export function createUnchanged(heads: Heads, nowMs: () => number): Unchanged {
  const responses = new Map<string, Remembered>();
  return {
    async of(request, kind, variables, work) {
      // The head is read before the rows, so a remembered response is at least as new as its head.
      const head = await heads.read(kind, variables, work);
      if (head === null) return UNKNOWN_HEAD;
      const url = request.url ?? "";
      const known = responses.get(url);
      const isValid = known !== undefined && known.head === head && known.untilMs > nowMs();
      return {
        currentTag: isValid && isCurrent(request, known.etag) ? known.etag : null,
        remember(etag) {
          responses.delete(url);
          responses.set(url, { etag, head, untilMs: nowMs() + MAX_AGE_MS });
          const [oldest] = responses.keys();
          if (responses.size > MAX_RESPONSES && oldest !== undefined) responses.delete(oldest);
        },
      };
    },
  };
}
