/** An iteration of the event loop that takes less has nothing else to do: it accepts no connection and reads no request. */
const QUIET_MS = 0.1;
/** Longest time that work waits for a quiet iteration. */
const MAX_WAIT_MS = 20;

interface Waiting {
  /** The time from which on it no longer waits for a quiet iteration. */
  readonly untilMs: number;
  resume(): void;
}

const waiting: Waiting[] = [];
let iterationStartedMs = 0;

/**
 * Resolves for one caller in each iteration: when the event loop has nothing else to do, or when that caller has waited more than
 * `maxWaitMs`, by default 20 ms.
 *
 * Called before work that takes some milliseconds without a pause: before the parts of a heavy operation (when a statement has returned its
 * rows, and before the result is made text), before each event of a subscription, before a large body or a new document is parsed, and
 * before an operation is planned and compiled. The part runs in a later iteration than the work before it. Meanwhile, the event loop accepts
 * connections (libuv accepts one in an iteration) and answers light requests.
 */
export function untilIdle(maxWaitMs = MAX_WAIT_MS): Promise<void> {
  return new Promise((resume) => {
    waiting.push({ untilMs: performance.now() + maxWaitMs, resume });
    // The present iteration has begun with other work, to which this part would be added.
    if (waiting.length === 1) setImmediate(checkNextIteration);
  });
}

function checkNextIteration(): void {
  iterationStartedMs = performance.now();
  setImmediate(resumeFirst);
}

function resumeFirst(): void {
  const nowMs = performance.now();
  const [first] = waiting as [Waiting];
  const isQuiet = nowMs - iterationStartedMs < QUIET_MS;
  if (isQuiet || nowMs > first.untilMs) {
    waiting.shift();
    first.resume();
  }
  if (waiting.length > 0) checkNextIteration();
}
