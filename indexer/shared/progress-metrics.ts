import { readGauge, type Sample } from "../../core/observability/registry.ts";
import type { ChainState, NodeState, Progress, ProgressState } from "./progress.ts";

const STATES: readonly ChainState[] = ["BACKFILLING", "FOLLOWING", "WAITING", "STOPPED"];

const NODE_STATES: readonly NodeState[] = ["USABLE", "UNAVAILABLE", "QUARANTINED"];

type ChainGauge =
  | "indexerHeight"
  | "indexerNodeHeight"
  | "indexerLag"
  | "indexerLagSeconds"
  | "indexerRate"
  | "indexerHeadSeen"
  | "indexerExceptions"
  | "verifiedHeight"
  | "verificationDiffering";

/** In these states, the node's head that is known is the present one. */
const IN_TOUCH: ReadonlySet<ChainState> = new Set(["BACKFILLING", "FOLLOWING"]);

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
    report("indexerLag", ({ state, blockNumber, nodeBlockNumber }) =>
      nodeBlockNumber === null || !IN_TOUCH.has(state) ? null : Math.max(0, nodeBlockNumber - blockNumber),
    ),
    report("indexerLagSeconds", ({ headSeenAt, beganAt }) =>
      Math.max(0, Math.floor(Date.now() / 1_000) - (headSeenAt ?? beganAt)),
    ),
    report("indexerRate", ({ blocksPerSecond }) => blocksPerSecond),
    report("indexerHeadSeen", ({ headSeenAt }) => headSeenAt),
    report("indexerExceptions", ({ exceptionCount }) => exceptionCount),
    report("verifiedHeight", ({ verifiedBlockNumber, blockNumber }) =>
      verifiedBlockNumber === null ? null : Math.min(verifiedBlockNumber, blockNumber),
    ),
    report("verificationDiffering", ({ differingCount }) => differingCount),
    readGauge("indexerState", () =>
      all.flatMap((progress) =>
        STATES.map((state) => ({
          labels: { ...labelsOf(progress), state },
          value: progress.current.state === state ? 1 : 0,
        })),
      ),
    ),
  ];
  const reportsOfNodes = [
    readGauge("nodeState", () =>
      all.flatMap(({ chain, current: { nodes = [] } }) =>
        nodes.flatMap(({ name: node, state: now }) =>
          NODE_STATES.map((state) => ({ labels: { chain, node, state }, value: now === state ? 1 : 0 })),
        ),
      ),
    ),
    readGauge("nodeHeight", () =>
      all.flatMap(({ chain, current: { nodes = [] } }) =>
        nodes.flatMap(({ name: node, head }) => (head === null ? [] : [{ labels: { chain, node }, value: head }])),
      ),
    ),
  ];
  return {
    [Symbol.dispose]() {
      for (const one of [...reports, ...reportsOfNodes]) one[Symbol.dispose]();
    },
  };
}
