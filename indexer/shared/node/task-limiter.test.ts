import { setImmediate as nextTurn } from "node:timers/promises";
import { createTaskLimiter } from "./task-limiter.ts";

/** Runs tasks of different lengths, and returns the largest number of tasks that ran at the same time. */
async function mostAtOnce(
  limits: { concurrency: number },
  tasks: number,
  onTask = (_task: number) => {},
): Promise<number> {
  const limiter = createTaskLimiter(limits);
  let running = 0;
  let most = 0;
  const task = (i: number) => async () => {
    most = Math.max(most, ++running);
    onTask(i);
    for (let turns = 0; turns <= i % 3; turns++) await nextTurn();
    running--;
    if (i % 5 === 0) throw new Error("a task fails");
  };
  await Promise.allSettled(Array.from({ length: tasks }, (_, i) => limiter.run(task(i))));
  return most;
}

describe("the task limiter", () => {
  it.each([1, 2, 5])("never runs more than %d tasks at a time, failing ones included", async (concurrency) => {
    expect(await mostAtOnce({ concurrency }, 60)).toBe(concurrency);
  });

  it("follows a limit that falls", async () => {
    const limits = { concurrency: 4 };
    const most = await mostAtOnce(limits, 60, (task) => {
      limits.concurrency = task < 30 ? 4 : 2;
    });
    expect(most).toBe(4);
    expect(await mostAtOnce(limits, 20)).toBe(2);
  });

  it("starts waiting tasks in order", async () => {
    const order: number[] = [];
    await mostAtOnce({ concurrency: 2 }, 20, (task) => order.push(task));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });
});
