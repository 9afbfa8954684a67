import { Failure } from "../errors/errors.ts";
import { createSharedReads } from "./shared-reads.ts";
import { cancelWork, createWork, SERVICE_WORK, type Work } from "./work.ts";

/** A read whose runs end when the test says so, or when their work is cancelled. */
function createReader() {
  const reads: { readonly work: Work; end(text: string): void }[] = [];
  const read = createSharedReads(
    (key: string, work) =>
      new Promise<string>((resolve, reject) => {
        work.onCancel.add(() => reject(work.reason));
        reads.push({ work, end: (text) => resolve(`${key} ${text}`) });
      }),
  );
  const ask = (key = "a") => {
    const work = createWork();
    return { answer: read(key, work), leave: () => cancelWork(work, new Failure("UNAVAILABLE", "left")) };
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
    expect(reads[0]?.work.reason).toBeNull();
    second.leave();
    await expect(second.answer).rejects.toThrow("left");
    expect(reads[0]?.work.reason?.message).toBe("left");
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

  it("goes on for what the service does on its own", async () => {
    const { reads, read, ask } = createReader();
    const first = ask();
    const background = read("a", SERVICE_WORK);
    first.leave();
    await expect(first.answer).rejects.toThrow("left");
    reads[0]?.end("1");
    expect(await background).toBe("a 1");
  });

  it("fails for all callers if it fails", async () => {
    const read = createSharedReads(async () => {
      throw new Error("failed");
    });
    const answers = [1, 2].map(() => read(null, createWork()));
    for (const answer of answers) await expect(answer).rejects.toThrow("failed");
  });
});
