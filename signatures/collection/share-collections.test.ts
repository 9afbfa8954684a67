import { COLLECTION_QUORUM, plainTask } from "../../test/support/signatures/collection.ts";
import type { AggregationProgress, AggregationResult } from "../protocol/protocol.ts";
import type { CollectionCaller, SignatureSource } from "../signature-source.ts";
import { createCollectionLimit } from "./collection-limit.ts";
import { shareCollections } from "./share-collections.ts";

interface Started extends CollectionCaller {
  readonly finish: (result: AggregationResult) => void;
}

/** A source whose collections end when the test says so. */
function createSource() {
  const started: Started[] = [];
  const source: SignatureSource = {
    collect: (_task, _quorum, caller) =>
      new Promise((resolve, reject) => {
        started.push({ ...caller, finish: resolve });
        caller.signal.addEventListener("abort", () => reject(caller.signal.reason));
      }),
  };
  return { source, started };
}

const RESULT = { signedMessage: "00" } as AggregationResult; // only its identity matters
const PROGRESS = { state: "CONNECTING" } as AggregationProgress;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const join = (shared: SignatureSource, changed: Parameters<typeof plainTask>[0] = {}, quorum = COLLECTION_QUORUM) => {
  const leave = new AbortController();
  const progress: AggregationProgress[] = [];
  const onProgress = (one: AggregationProgress) => void progress.push(one);
  const result = shared.collect(plainTask(changed), quorum, { signal: leave.signal, onProgress });
  result.catch(() => {});
  return { leave, progress, result };
};

describe("callers who want the same aggregate", () => {
  it("share one collection and its progress, also if they come later", async () => {
    const { source, started } = createSource();
    const shared = shareCollections(source, createCollectionLimit(10, 0));
    const all = Array.from({ length: 200 }, () => join(shared));
    await turn();
    expect(started).toHaveLength(1);
    // Nobody is told the same twice.
    for (let time = 0; time < 3; time++) started[0]?.onProgress({ ...PROGRESS });
    all.push(join(shared));
    started[0]?.finish(RESULT);
    expect(new Set(await Promise.all(all.map(({ result }) => result)))).toEqual(new Set([RESULT]));
    expect(all.every(({ progress }) => progress.length === 1)).toBe(true);
    // The next caller starts another.
    join(shared);
    await turn();
    expect(started).toHaveLength(2);
  });

  it("differ if message, justification, subnet, height or quorum differ", async () => {
    const { source, started } = createSource();
    const shared = shareCollections(source, createCollectionLimit(10, 0));
    join(shared);
    join(shared, { unsignedBytes: Buffer.from("other") });
    join(shared, { justification: Buffer.of(1) });
    join(shared, { signingSubnetId: "11".repeat(32) });
    join(shared, { pChainHeight: 2n });
    join(shared, {}, { quorumPercentage: 68, quorumPercentageBuffer: 0 });
    join(shared, {}, { quorumPercentage: 67, quorumPercentageBuffer: 1 });
    await turn();
    expect(started).toHaveLength(7);
  });

  it("may leave without an effect on others; the last one ends the collection", async () => {
    const { source, started } = createSource();
    const shared = shareCollections(source, createCollectionLimit(1, 0));
    const [one, other] = [join(shared), join(shared)];
    await turn();
    one.leave.abort(new Error("left"));
    await expect(one.result).rejects.toThrow("left");
    expect(started[0]?.signal.aborted).toBe(false);
    other.leave.abort(new Error("left too"));
    await expect(other.result).rejects.toThrow("left too");
    expect(started[0]?.signal.aborted).toBe(true);
    // Its place is free at once.
    const next = join(shared);
    await turn();
    started[1]?.finish(RESULT);
    expect(await next.result).toBe(RESULT);
  });

  it("wait for a free slot, and are refused if too many wait", async () => {
    const { source, started } = createSource();
    const shared = shareCollections(source, createCollectionLimit(1, 1));
    const [first, second, third] = [1n, 2n, 3n].map((pChainHeight) => join(shared, { pChainHeight }));
    await expect(third?.result).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: "signatures of 1 other messages are being collected, and 1 requests wait; try again later",
    });
    expect(started).toHaveLength(1);
    // Who leaves the queue makes room in it.
    second?.leave.abort(new Error("left"));
    await expect(second?.result).rejects.toThrow("left");
    const fourth = join(shared, { pChainHeight: 4n });
    await turn();
    expect(started).toHaveLength(1);
    started[0]?.finish(RESULT);
    expect(await first?.result).toBe(RESULT);
    await turn();
    started[1]?.finish(RESULT);
    expect(await fourth.result).toBe(RESULT);
  });

  it("get the same failure", async () => {
    const shared = shareCollections({ collect: () => Promise.reject(new Error("no")) }, createCollectionLimit(1, 0));
    const all = await Promise.allSettled([join(shared).result, join(shared).result]);
    expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
