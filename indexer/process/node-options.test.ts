import { nodeOptions } from "./node-options.ts";

describe("a process of the indexer collects garbage", () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [3.9, 1],
    [4, 2],
    [5, 2],
    [4, 8],
  ])(
    "in one thread on a machine with %d cores and %d such processes, which leave fewer than two free",
    (cores, processes) => {
      expect(nodeOptions(cores, processes)).toContain("--single-threaded-gc");
    },
  );

  it.each([
    [4, 1],
    [6, 2],
    [16, 1],
  ])(
    "in several threads on a machine with %d cores and %d such processes, which leave at least two free",
    (cores, processes) => {
      expect(nodeOptions(cores, processes)).not.toContain("--single-threaded-gc");
    },
  );
});
