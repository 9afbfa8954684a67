import type { Progress } from "../shared/progress.ts";
import type { States } from "./worker-process.ts";

const INTERVAL_MS = 50;

/** Sends the states of chains to the process that has forked this one, now and whenever they change, until it is disposed. */
export function reportStates(progress: readonly Progress[]): Disposable {
  let sent: string | null = null;
  const report = () => {
    const states = progress.map(({ current }) => current.state);
    const text = states.join();
    if (text === sent) return;
    sent = text;
    // If the other process is gone, this one ends too.
    process.send?.({ states } satisfies States, undefined, undefined, () => {});
  };
  report();
  const timer = setInterval(report, INTERVAL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
