import { disposeInReverse } from "./dispose-in-reverse.ts";

/** Resources whose disposal takes as many milliseconds as their number, or fails. Each adds its number to `disposed`. */
function createResources(numbers: readonly number[], failing: readonly number[] = []) {
  const disposed: number[] = [];
  const resources = numbers.map(
    (number): AsyncDisposable => ({
      async [Symbol.asyncDispose]() {
        await new Promise((done) => setTimeout(done, number));
        disposed.push(number);
        if (failing.includes(number)) throw new Error(`resource ${number} fails`);
      },
    }),
  );
  return { resources, disposed };
}

describe("disposing resources in reverse", () => {
  it("begins with the last one, disposes one at a time, and each only once", async () => {
    const { resources, disposed } = createResources([1, 2, 3]);
    await disposeInReverse(resources);
    expect(disposed).toEqual([3, 2, 1]);
    await disposeInReverse(resources);
    expect(disposed).toEqual([3, 2, 1]);
  });

  it("goes on after one that fails, and rejects with the first failure", async () => {
    const { resources, disposed } = createResources([1, 2, 3], [2, 3]);
    await expect(disposeInReverse(resources)).rejects.toThrow("resource 3 fails");
    expect(disposed).toEqual([3, 2, 1]);
  });
});
