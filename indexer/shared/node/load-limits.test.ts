import { createLoadLimits, type LoadLimits } from "./load-limits.ts";

const MAX = { concurrency: 16, batchSize: 100 };

function succeed(limits: LoadLimits, times: number, ms = 10): void {
  for (let i = 0; i < times; i++) limits.succeeded(ms, limits.batchSize);
}

describe("the load limits", () => {
  it("start low, and never above the configured maximum", () => {
    expect(createLoadLimits(MAX)).toMatchObject({ concurrency: 4, batchSize: 20 });
    expect(createLoadLimits({ concurrency: 2, batchSize: 1 })).toMatchObject({ concurrency: 2, batchSize: 1 });
  });

  it("grow up to the configured maximum while the node is quick", () => {
    const limits = createLoadLimits(MAX);
    succeed(limits, 1_000);
    expect(limits).toMatchObject(MAX);
  });

  it("are halved by each failure, down to one call at a time", () => {
    const limits = createLoadLimits(MAX);
    succeed(limits, 1_000);
    limits.failed();
    expect(limits).toMatchObject({ concurrency: 8, batchSize: 50 });
    for (let i = 0; i < 20; i++) limits.failed();
    expect(limits).toMatchObject({ concurrency: 1, batchSize: 1 });
  });

  it("grow from the minimum back to the maximum", () => {
    const limits = createLoadLimits(MAX);
    for (let i = 0; i < 20; i++) limits.failed();
    succeed(limits, 200);
    expect(limits).toMatchObject(MAX);
  });

  it("do not change while answers take over a second, and are halved when they take over five", () => {
    const limits = createLoadLimits(MAX);
    succeed(limits, 50, 2_000);
    expect(limits).toMatchObject({ concurrency: 4, batchSize: 20 });
    succeed(limits, 1, 6_000);
    expect(limits).toMatchObject({ concurrency: 2, batchSize: 10 });
  });

  it("do not raise the batch size for small requests", () => {
    const limits = createLoadLimits(MAX);
    for (let i = 0; i < 1_000; i++) limits.succeeded(10, 1);
    expect(limits.batchSize).toBe(20);
  });

  it("keep the smallest batch limit of a node, whatever it refuses later", () => {
    const limits = createLoadLimits(MAX);
    limits.limitBatch(7);
    limits.limitBatch(10);
    succeed(limits, 20);
    expect(limits.batchSize).toBe(7);
  });

  it("raise a node's batch limit after 50 full batches, up to the maximum", () => {
    const limits = createLoadLimits(MAX);
    limits.limitBatch(1);
    succeed(limits, 49);
    expect(limits.batchSize).toBe(1);
    succeed(limits, 1);
    expect(limits.batchSize).toBe(2);
    succeed(limits, 2_000);
    expect(limits.batchSize).toBe(100);
  });
});
