import { observeQueue } from "../observability/queues.ts";
import { cancelReason, currentScope } from "../observability/request-scope.ts";
import { createGate, type Gate, type GateLimits, type Release } from "./gate.ts";

/** A gate for operations or events of requests, whose queue and waiting times are metrics. */
export interface ObservedGate {
  readonly gate: Gate;
  /**
   * Waits for the turn of the caller. Rejects with the reason if the work of the present request is cancelled meanwhile. If the gate refuses,
   * returns what `refuse` returns.
   */
  wait(caller: string, refuse: (retryMs: number) => Promise<never>): Promise<Release>;
}

/** `name` is the name of the queue in metrics. */
export function createObservedGate(name: string, limits: GateLimits, nowMs: () => number): ObservedGate {
  const gate = createGate(limits, nowMs);
  const queue = observeQueue(name, () => gate);
  return {
    gate,
    async wait(caller, refuse) {
      const startedMs = nowMs();
      const entrance = await gate.wait(caller, currentScope()?.work);
      queue.wait.observe((nowMs() - startedMs) / 1_000);
      if (entrance.kind === "running") return entrance.release;
      if (entrance.kind === "left") throw cancelReason();
      return refuse(entrance.retryMs);
    },
  };
}
