import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../test/support/indexed/indexing.ts";
import { INITIAL_PROGRESS, type ProgressState } from "../shared/progress.ts";
import { reportProgress } from "./report-progress.ts";
import type { ReportedProgress } from "./worker-process.ts";

const STATE: ProgressState = { ...INITIAL_PROGRESS, beganAt: 1_800_000_000, state: "FOLLOWING", blockNumber: 7 };
/** Time for several looks at the progress. */
const LOOKS_MS = 300;

it("the progress of chains is reported when it changes, but not when only the time at which the head was seen does", async () => {
  const chain = { name: "seven", ids: { chainId: "7" }, current: STATE };
  const reports: ReportedProgress[] = [];
  const untilReports = (count: number) =>
    until(
      async () => reports.length,
      (length) => length === count,
      `${count} reports`,
    );
  using _reporting = reportProgress([chain], (report) => void reports.push(report));
  await untilReports(1);
  chain.current = { ...STATE, headSeenAt: 1_800_000_009 };
  await sleep(LOOKS_MS);
  expect(reports).toHaveLength(1);
  chain.current = { ...chain.current, blockNumber: 8 };
  await untilReports(2);
  expect(reports[1]).toEqual({ progress: [chain] });
});
