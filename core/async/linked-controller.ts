import { setMaxListeners } from "node:events";

/** An abort controller that also aborts with its parent, until it is disposed. */
export interface LinkedController extends Disposable {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/** Use instead of `AbortSignal.any`, whose signals Node.js 20 keeps in memory as long as the parent signal exists. */
export function linkedController(parent: AbortSignal): LinkedController {
  const controller = new AbortController();
  const abort = () => controller.abort(parent.reason);
  // One listener per request; Node.js warns of a leak at eleven.
  setMaxListeners(0, parent, controller.signal);
  if (parent.aborted) abort();
  else parent.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: () => parent.removeEventListener("abort", abort),
  };
}
