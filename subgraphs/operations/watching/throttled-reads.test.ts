import { setTimeout as sleep } from "node:timers/promises";
import { createThrottledReads } from "./throttled-reads.ts";

const reads: string[] = [];
const throttled = createThrottledReads((operationId) => void reads.push(operationId));
afterAll(() => throttled[Symbol.dispose]());
beforeEach(() => void reads.splice(0));

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !isSo(); i++) await sleep(10);
  expect(isSo()).toBe(true);
}

const request = (operationId: string, times: number, isUrgent = false) => {
  for (let i = 0; i < times; i++) throttled.request(operationId, isUrgent);
};

describe("reads of changed operations", () => {
  it("happen at once for the first change, and together for those that follow it", async () => {
    request("a", 100);
    expect(reads).toEqual(["a"]);
    await until(() => reads.length > 1);
    request("b", 100);
    expect(reads).toEqual(["a", "a", "b"]);
    await until(() => reads.length > 3);
    expect(reads).toEqual(["a", "a", "b", "b"]);
  });

  it("happen at once for an urgent change, which includes the changes that waited", async () => {
    request("c", 3);
    request("c", 1, true);
    expect(reads).toEqual(["c", "c"]);
    request("d", 2);
    await until(() => reads.filter((one) => one === "d").length === 2);
    expect(reads).toEqual(["c", "c", "d", "d"]);
  });

  it("end when the `ThrottledReads` are disposed", async () => {
    const ended = createThrottledReads((operationId) => void reads.push(operationId));
    ended.request("e", false);
    ended.request("e", false);
    ended[Symbol.dispose]();
    ended.request("e", true);
    request("f", 2);
    await until(() => reads.length === 3);
    expect(reads).toEqual(["e", "f", "f"]);
  });
});
