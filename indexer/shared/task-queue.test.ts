import { createTaskQueue } from "./task-queue.ts";

describe("a queue of tasks", () => {
  it("starts a task at once if no other one runs", () => {
    const enqueue = createTaskQueue();
    let started = false;
    void enqueue(async () => {
      started = true;
    });
    expect(started).toBe(true);
  });

  it("runs tasks one after the other in the order of the calls, also after a failure", async () => {
    const enqueue = createTaskQueue();
    const order: string[] = [];
    const task = (name: string) => async () => {
      order.push(`${name} started`);
      await new Promise(setImmediate);
      order.push(`${name} ended`);
      if (name === "a") throw new Error("a failed");
    };
    const failing = enqueue(task("a"));
    // Called when the first task has ended, before the waiting one continues.
    const afterFailure = failing.catch(() => enqueue(task("c")));
    const waiting = enqueue(task("b"));
    await expect(failing).rejects.toThrow("a failed");
    await Promise.all([waiting, afterFailure]);
    expect(order).toEqual(["a started", "a ended", "b started", "b ended", "c started", "c ended"]);
  });
});
