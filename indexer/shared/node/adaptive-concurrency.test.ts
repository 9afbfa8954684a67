import { createPace, type Pace } from "./adaptive-concurrency.ts";

const MAX = { concurrency: 16, batchSize: 100 };

function succeed(pace: Pace, times: number, ms = 10): void {
  for (let i = 0; i < times; i++) pace.succeeded(ms, pace.batchSize);
}

describe("the pace", () => {
  it("begins low, and never above the configured most", () => {
    expect(createPace(MAX)).toMatchObject({ concurrency: 4, batchSize: 20 });
    expect(createPace({ concurrency: 2, batchSize: 1 })).toMatchObject({ concurrency: 2, batchSize: 1 });
  });

  it("grows to the configured most while the node is quick, and no further", () => {
    const pace = createPace(MAX);
    succeed(pace, 1_000);
    expect(pace).toMatchObject(MAX);
  });

  it("halves with each failure, down to one call at a time", () => {
    const pace = createPace(MAX);
    succeed(pace, 1_000);
    pace.failed();
    expect(pace).toMatchObject({ concurrency: 8, batchSize: 50 });
    for (let i = 0; i < 20; i++) pace.failed();
    expect(pace).toMatchObject({ concurrency: 1, batchSize: 1 });
  });

  it("comes back from the least to the most", () => {
    const pace = createPace(MAX);
    for (let i = 0; i < 20; i++) pace.failed();
    succeed(pace, 200);
    expect(pace).toMatchObject(MAX);
  });

  it("stays while answers take a second, and halves when they take five", () => {
    const pace = createPace(MAX);
    succeed(pace, 50, 2_000);
    expect(pace).toMatchObject({ concurrency: 4, batchSize: 20 });
    succeed(pace, 1, 6_000);
    expect(pace).toMatchObject({ concurrency: 2, batchSize: 10 });
  });

  it("does not take small requests for a reason to make large ones", () => {
    const pace = createPace(MAX);
    for (let i = 0; i < 1_000; i++) pace.succeeded(10, 1);
    expect(pace.batchSize).toBe(20);
  });

  it("keeps to the limit of a node that refuses batches, whatever is refused later", () => {
    const pace = createPace(MAX);
    pace.limitBatch(7);
    pace.limitBatch(10);
    succeed(pace, 20);
    expect(pace.batchSize).toBe(7);
  });

  it("tries beyond such a limit again after a while, and up to the most when all goes well", () => {
    const pace = createPace(MAX);
    pace.limitBatch(1);
    succeed(pace, 49);
    expect(pace.batchSize).toBe(1);
    succeed(pace, 1);
    expect(pace.batchSize).toBe(2);
    succeed(pace, 2_000);
    expect(pace.batchSize).toBe(100);
  });
});
