import { LRUCache } from "lru-cache";
import { Failure } from "../../../core/errors/errors.ts";

/** Maximum length of a key in characters. Answers with longer keys are not cached, so that callers cannot fill the memory. */
const MAX_KEY_LENGTH = 8_192;
const DEFAULT_MAX_KEYS = 256;

/** How long an answer is reused, in milliseconds. */
export interface CachePolicy<Value> {
  readonly freshMs: number | ((value: Value) => number);
  /** For an error that the node returned. Default: `failedMs`. */
  readonly refusedMs?: number;
  /** For a missing answer, so that not every caller sends a request to a node that is down. */
  readonly failedMs: number;
}

/** A cache of answers by key. Concurrent callers with the same key share one request. */
export interface AnswerCache {
  /** Returns the cached answer or error of that key if it is fresh, else the result of `ask`. */
  of<Value>(key: string, policy: CachePolicy<Value>, ask: () => Promise<Value>): Promise<Value>;
  forget(key: string): void;
}

interface Kept {
  readonly answer: Promise<unknown>;
  untilMs: number;
}

/** `nowMs` is a monotonic clock. At most `maxKeys` answers are cached; a new answer replaces the one that was not read for longest. */
export function createAnswerCache(nowMs = () => performance.now(), maxKeys = DEFAULT_MAX_KEYS): AnswerCache {
  const known = new LRUCache<string, Kept>({ max: maxKeys });
  return {
    of<Value>(key: string, policy: CachePolicy<Value>, ask: () => Promise<Value>): Promise<Value> {
      const last = known.get(key);
      if (last && nowMs() < last.untilMs) return last.answer as Promise<Value>;
      const answer = ask();
      const kept: Kept = { answer, untilMs: Number.POSITIVE_INFINITY };
      answer.then(
        (value) => {
          kept.untilMs = nowMs() + (typeof policy.freshMs === "number" ? policy.freshMs : policy.freshMs(value));
        },
        (error: unknown) => {
          const isRefusal = error instanceof Failure && error.code === "NODE_REFUSED";
          kept.untilMs = nowMs() + ((isRefusal ? policy.refusedMs : undefined) ?? policy.failedMs);
        },
      );
      if (key.length > MAX_KEY_LENGTH) return answer;
      known.set(key, kept);
      return answer;
    },
    forget(key) {
      known.delete(key);
    },
  };
}
