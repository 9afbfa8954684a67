import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 60_000;

/** Resolves with the first truthy value of `condition`. Throws with `state()` if there is none within a minute. */
export async function until<Value>(
  condition: () => Value | Promise<Value>,
  state: () => string,
): Promise<NonNullable<Value>> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`the condition is not met after 60 s: ${state()}`);
    await sleep(20);
  }
}
