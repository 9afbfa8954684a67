import { readGauge, type Sample } from "../../core/observability/registry.ts";
import type { ChainState, Progress, ProgressState } from "./progress.ts";

const STATES: readonly ChainState[] = ["BACKFILLING", "FOLLOWING", "WAITING", "STOPPED"];

type ChainGauge = "indexerHeight" | "indexerNodeHeight" | "indexerLag" | "indexerRate" | "indexerHeadSeen";

/** Reports the progress of chains as Prometheus gauges until the result is disposed. The list `all` may change meanwhile. */
export function observeProgress(all: readonly Progress[]): Disposable {
  const labelsOf = ({ chain, name }: Progress) => ({ chain, name });
  const report = (key: ChainGauge, read: (state: ProgressState) => number | null) =>
    readGauge(key, () =>
      all.flatMap((progress): Sample<ChainGauge>[] => {
        const value = read(progress.current);
        return value === null ? [] : [{ labels: labelsOf(progress), value }];
      }),
    );
  const reports = [
    report("indexerHeight", ({ blockNumber }) => blockNumber),
    report("indexerNodeHeight", ({ nodeBlockNumber }) => nodeBlockNumber),
    report("indexerLag", ({ blockNumber, nodeBlockNumber }) =>
      nodeBlockNumber === null ? null : Math.max(0, nodeBlockNumber - blockNumber),
    ),
    report("indexerRate", ({ blocksPerSecond }) => blocksPerSecond),
    report("indexerHeadSeen", ({ headSeenAt }) => headSeenAt),
    readGauge("indexerState", () =>
      all.flatMap((progress) =>
        STATES.map((state) => ({
          labels: { ...labelsOf(progress), state },
          value: progress.current.state === state ? 1 : 0,
        })),
      ),
    ),
  ];
  return {
    [Symbol.dispose]() {
      for (const one of reports) one[Symbol.dispose]();
    },
  };
}
