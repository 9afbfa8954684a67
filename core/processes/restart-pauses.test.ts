import { createRestartPauses } from "./restart-pauses.ts";

describe("the pauses before a process is started again", () => {
  it("double from half a second to a minute, and begin again after a process that ran for more than a minute", () => {
    const pauses = createRestartPauses();
    const short = Array.from({ length: 9 }, () => pauses.nextMs(60_000));
    expect(short).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect([pauses.nextMs(60_001), pauses.nextMs(0)]).toEqual([500, 1_000]);
  });
});
