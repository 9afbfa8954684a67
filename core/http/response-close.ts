import type { ServerResponse } from "node:http";

type CloseTask = (response: ServerResponse) => void;

/** A property takes less time than a WeakMap. */
const TASKS = Symbol("tasks");

interface WithTasks {
  [TASKS]?: CloseTask[];
}

/**
 * Calls `task` once, when the response is complete or its connection has closed; at once if that has happened already. So whatever is
 * opened for a response can be closed by it, at any time and also while the response waits for earlier ones of its connection (see
 * `trackConnections`). All tasks of a response share one listener, because several listeners take longer than the tasks themselves.
 */
export function onResponseClose(response: ServerResponse, task: CloseTask): void {
  if (response.destroyed) {
    task(response);
    return;
  }
  const tasks = (response as WithTasks)[TASKS];
  if (tasks) {
    tasks.push(task);
    return;
  }
  (response as WithTasks)[TASKS] = [task];
  // Emitted once. `once` would make more objects for each request.
  response.on("close", runTasks);
}

function runTasks(this: ServerResponse): void {
  for (const task of (this as WithTasks)[TASKS] ?? []) task(this);
}
