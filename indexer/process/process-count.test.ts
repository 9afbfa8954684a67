import { defaultProcesses } from "./process-count.ts";

const GB = 2 ** 30;

describe("the number of processes of the indexer", () => {
  it.each([
    [1, 1, 1],
    [2, 64, 1],
    [3, 64, 1],
    [4, 64, 2],
    [16, 64, 8],
    [16, 16, 4],
    [16, 7.5, 1],
    [16, 0.5, 1],
  ])("of a machine with %d cores and %d GB is %d", (cores, memory, processes) => {
    expect(defaultProcesses({ cores, memoryBytes: memory * GB })).toBe(processes);
  });
});
