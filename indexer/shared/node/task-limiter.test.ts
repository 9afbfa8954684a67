import { setTimeout as sleep } from "node:timers/promises";
import { createSlots } from "./task-limiter.ts";

/** Runs tasks of a few milliseconds, and says how many ran at once at most. */
async function mostAtOnce(
  pace: { concurrency: number },
  tasks: number,
  onTask = (_task: number) => {},
): Promise<number> {
  const slots = createSlots(pace);
  let running = 0;
  let most = 0;
  const task = (i: number) => async () => {
    most = Math.max(most, ++running);
    onTask(i);
    await sleep(i % 3);
    running--;
    if (i % 5 === 0) throw new Error("a task fails");
  };
  await Promise.allSettled(Array.from({ length: tasks }, (_, i) => slots.run(task(i))));
  return most;
}

describe("slots", () => {
  it.each([1, 2, 5])("never run more than %d at once, failed tasks included", async (concurrency) => {
    expect(await mostAtOnce({ concurrency }, 60)).toBe(concurrency);
  });

  it("follow a pace that shrinks and grows", async () => {
    const pace = { concurrency: 4 };
    const most = await mostAtOnce(pace, 60, (task) => {
      pace.concurrency = task < 30 ? 4 : 2;
    });
    expect(most).toBe(4);
    expect(await mostAtOnce(pace, 20)).toBe(2);
  });

  it("let those who wait go in the order in which they came", async () => {
    const order: number[] = [];
    await mostAtOnce({ concurrency: 2 }, 20, (task) => order.push(task));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });
});
