import { setMaxListeners } from "node:events";

/** A controller of its own that aborts with its parent too, until disposed. */
export interface LinkedController extends Disposable {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/** In place of `AbortSignal.any`: what that makes is kept, on Node 20, for as long as the parent lives. */
export function linkedController(parent: AbortSignal): LinkedController {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  // As many as there are requests; ten are taken for a leak otherwise.
  setMaxListeners(0, parent, controller.signal);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: () => parent.removeEventListener("abort", follow),
  };
}
