import { metricsText } from "../../core/observability/forked-metrics.ts";
import { startMetrics } from "../../test/support/metrics.ts";
import type { Progress, ProgressState } from "./progress.ts";
import { observeProgress } from "./progress-metrics.ts";

const NOW = Math.floor(Date.now() / 1_000);

async function valuesOf(state: Partial<ProgressState>): Promise<Record<"blocks" | "seconds", number | null>> {
  const current = { state: "FOLLOWING", blockNumber: 100, nodeBlockNumber: 100, beganAt: NOW - 50, headSeenAt: null };
  const progress = { name: "a chain", chain: "7", current: { ...current, ...state } } as unknown as Progress;
  const registry = await startMetrics();
  using _observation = observeProgress([progress]);
  const text = await metricsText(registry);
  const lagIn = (unit: string) => {
    const value = new RegExp(`^moraine_indexer_lag_${unit}\\{[^}]*chain="7"[^}]*\\} (\\S+)$`, "m").exec(text)?.[1];
    return value === undefined ? null : Number(value);
  };
  return { blocks: lagIn("blocks"), seconds: lagIn("seconds") };
}

describe("the lag of a chain", () => {
  it("in blocks is known only while the node answers", async () => {
    expect((await valuesOf({ nodeBlockNumber: 130 })).blocks).toBe(30);
    expect((await valuesOf({})).blocks).toBe(0);
    for (const state of ["WAITING", "STOPPED"] as const) expect((await valuesOf({ state })).blocks).toBeNull();
  });

  it("in seconds grows while the node is down, also if its head was never seen", async () => {
    const lagOf = async (state: Partial<ProgressState>) =>
      (await valuesOf({ state: "WAITING", ...state })).seconds ?? -1;
    expect(await lagOf({ headSeenAt: NOW - 300 })).toBeGreaterThanOrEqual(300);
    expect(await lagOf({ headSeenAt: NOW - 900 })).toBeGreaterThanOrEqual(900);
    expect(await lagOf({})).toBeGreaterThanOrEqual(50);
  });
});
