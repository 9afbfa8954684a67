import { JobCancelled } from "../job/abort.ts";

/** The jobs that this process runs. */
export interface RunningJobs {
  readonly operationIds: readonly string[];
  /** Registers an attempt. Its signal is aborted when the operation is cancelled. `end` removes it. */
  add(operationId: string): { readonly signal: AbortSignal; readonly end: () => void };
  /** Ends the attempts of a cancelled operation. */
  cancel(operationId: string): void;
}

export function createRunningJobs(): RunningJobs {
  const running = new Set<{ readonly operationId: string; readonly controller: AbortController }>();
  return {
    get operationIds() {
      return [...running].map(({ operationId }) => operationId);
    },
    add(operationId) {
      const job = { operationId, controller: new AbortController() };
      running.add(job);
      return { signal: job.controller.signal, end: () => void running.delete(job) };
    },
    cancel(operationId) {
      for (const job of running)
        if (job.operationId === operationId) job.controller.abort(new JobCancelled("the export was cancelled"));
    },
  };
}
