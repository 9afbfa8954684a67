import { Failure } from "../../core/errors.ts";

/** Longer keys are of callers who make them up. */
const LONGEST_KEY = 8_192;
const DEFAULT_MOST_KEYS = 256;

/** How long an answer is given again, in milliseconds. */
export interface Keeping<Value> {
  readonly freshMs: number | ((value: Value) => number);
  /** The same of the node's own refusal. Default: that of a failure. */
  readonly refusedMs?: number;
  /** The same of no answer, so that many callers do not all ask a node that is down. */
  readonly failedMs: number;
}

/** Answers by key, asked for once however many want them. */
export interface Answers {
  /** The answer of that key while it is fresh, also when it is an error; else what `ask` gets. */
  of<Value>(key: string, keeping: Keeping<Value>, ask: () => Promise<Value>): Promise<Value>;
  forget(key: string): void;
}

interface Kept {
  readonly answer: Promise<unknown>;
  untilMs: number;
}

/** `nowMs` is a clock that never goes back. */
export function createAnswers(nowMs = () => performance.now(), mostKeys = DEFAULT_MOST_KEYS): Answers {
  const known = new Map<string, Kept>();
  return {
    of<Value>(key: string, keeping: Keeping<Value>, ask: () => Promise<Value>): Promise<Value> {
      const last = known.get(key);
      if (last && nowMs() < last.untilMs) return last.answer as Promise<Value>;
      const answer = ask();
      const kept: Kept = { answer, untilMs: Number.POSITIVE_INFINITY };
      answer.then(
        (value) => {
          kept.untilMs = nowMs() + (typeof keeping.freshMs === "number" ? keeping.freshMs : keeping.freshMs(value));
        },
        (error: unknown) => {
          const isRefusal = error instanceof Failure && error.code === "NODE_REFUSED";
          kept.untilMs = nowMs() + ((isRefusal ? keeping.refusedMs : undefined) ?? keeping.failedMs);
        },
      );
      if (key.length > LONGEST_KEY) return answer;
      known.delete(key);
      if (known.size >= mostKeys) known.delete(known.keys().next().value as string);
      known.set(key, kept);
      return answer;
    },
    forget(key) {
      known.delete(key);
    },
  };
}
