import { AsyncLocalStorage } from "node:async_hooks";
import { Failure } from "../errors.ts";
import { heavyTurn } from "./heavy-turns.ts";

/** The signal of the heavy operation that runs the present code. */
const signals = new AsyncLocalStorage<AbortSignal>();

/** Longest time of a heavy operation. Each of its statements may take at most 10 seconds. */
const MAX_SECONDS = 60;

/**
 * Runs a heavy operation. Its statements are cancelled when its caller leaves, or when it has run for 60 seconds; see
 * `operationSignal`.
 */
export async function runHeavy<Result>(
  callerLeft: AbortSignal | undefined,
  run: () => Promise<Result> | Result,
): Promise<Result> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(tooLong()), MAX_SECONDS * 1_000);
  const onLeft = () => end.abort(callerLeft?.reason);
  callerLeft?.addEventListener("abort", onLeft, { once: true });
  if (callerLeft?.aborted) onLeft();
  try {
    const result = await signals.run(end.signal, run);
    await heavyTurn();
    return result;
  } finally {
    clearTimeout(timer);
    callerLeft?.removeEventListener("abort", onLeft);
  }
}

/** Aborted when the present operation has to end (see `runHeavy`), with the reason as a `Failure`; undefined in light operations. */
export function operationSignal(): AbortSignal | undefined {
  return signals.getStore();
}

function tooLong(): Failure {
  return new Failure("UNAVAILABLE", `the request took longer than ${MAX_SECONDS} s: request less data`);
}
