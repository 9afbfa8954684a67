import { setImmediate as iteration } from "node:timers/promises";
import { Failure } from "../errors.ts";
import { currentScope, runInRequest } from "../observability/request-scope.ts";
import { createLaterReads, createSharedReads } from "./shared-reads.ts";
import { cancelWork, createWork, type Work } from "./work.ts";

/** A read whose runs end when the test says so, or when their work is cancelled. */
function createReader() {
  const reads: { readonly work: Work | undefined; end(text: string): void }[] = [];
  const read = createSharedReads(
    (key: string) =>
      new Promise<string>((resolve, reject) => {
        const work = currentScope()?.work;
        work?.onCancel.add(() => reject(work.reason));
        reads.push({ work, end: (text) => resolve(`${key} ${text}`) });
      }),
  );
  const ask = (key = "a") => {
    const work = createWork();
    const answer = runInRequest("r", work, () => read(key));
    return { answer, leave: () => cancelWork(work, new Failure("UNAVAILABLE", "left")) };
  };
  return { reads, read, ask };
}

describe("a read that callers share", () => {
  it("runs once for each key while it runs, and again later", async () => {
    const { reads, ask } = createReader();
    const asked = [ask("a"), ask("a"), ask("b")];
    expect(reads).toHaveLength(2);
    for (const { end } of reads) end("1");
    expect(await Promise.all(asked.map(({ answer }) => answer))).toEqual(["a 1", "a 1", "b 1"]);
    const later = ask("a");
    reads[2]?.end("2");
    expect(await later.answer).toBe("a 2");
  });

  it("goes on when the caller who has started it leaves, and is cancelled when all have left", async () => {
    const { reads, ask } = createReader();
    const first = ask();
    const second = ask();
    first.leave();
    await expect(first.answer).rejects.toThrow("left");
    expect(reads[0]?.work?.reason).toBeNull();
    second.leave();
    await expect(second.answer).rejects.toThrow("left");
    expect(reads[0]?.work?.reason?.message).toBe("left");
  });

  it("is not what a later caller gets once it is cancelled", async () => {
    const { reads, ask } = createReader();
    const first = ask();
    first.leave();
    const second = ask();
    reads[1]?.end("again");
    await expect(first.answer).rejects.toThrow("left");
    expect(await second.answer).toBe("a again");
  });

  it("goes on for a caller outside of requests", async () => {
    const { reads, read, ask } = createReader();
    const first = ask();
    const background = read("a");
    first.leave();
    await expect(first.answer).rejects.toThrow("left");
    reads[0]?.end("1");
    expect(await background).toBe("a 1");
  });

  it("fails for all callers if it fails", async () => {
    const read = createSharedReads(async () => {
      throw new Error("failed");
    });
    const answers = [1, 2].map(() => runInRequest("r", createWork(), () => read(null)));
    for (const answer of answers) await expect(answer).rejects.toThrow("failed");
  });
});

describe("reads that begin after their callers have asked", () => {
  it("are shared by all callers during the read before, and run one at a time", async () => {
    const begun: { readonly key: string; end(result: number): void }[] = [];
    const read = createLaterReads((key) => new Promise<number>((end) => begun.push({ key, end })));
    const first = [read("a"), read("a")];
    await iteration();
    const second = [read("a"), read("a"), read("a")];
    const other = read("b");
    await iteration();
    expect(begun.map(({ key }) => key)).toEqual(["a", "b"]);
    begun[0]?.end(1);
    begun[1]?.end(2);
    expect(await Promise.all([...first, other])).toEqual([1, 1, 2]);
    await iteration();
    const third = read("a");
    await iteration();
    expect(begun.map(({ key }) => key)).toEqual(["a", "b", "a"]);
    begun[2]?.end(3);
    expect(await Promise.all(second)).toEqual([3, 3, 3]);
    await iteration();
    begun[3]?.end(4);
    expect(await third).toBe(4);
  });

  it("go on after one has failed", async () => {
    const results = [Promise.reject(new Error("lost")), Promise.resolve(2)];
    const read = createLaterReads(() => results.shift() as Promise<number>);
    const failed = read("a");
    await Promise.resolve();
    await Promise.resolve();
    const later = read("a");
    await expect(failed).rejects.toThrow("lost");
    expect(await later).toBe(2);
  });
});
