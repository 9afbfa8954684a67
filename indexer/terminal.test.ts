import { until } from "../test/process/until.ts";
import { createLogLines } from "../test/support/log-lines.ts";
import { type NamedProgress, showProgress } from "./terminal.ts";

const current = {
  state: "BACKFILLING",
  reason: null,
  nodeBlockNumber: 100,
  fetchedBlockNumber: 30,
  headSeenAt: null,
  beganAt: 0,
  blockNumber: 20,
  blocksPerSecond: 8,
  exceptionCount: null,
} as const;

describe("the progress of chains that catch up", () => {
  it("is logged with the ids of each chain if standard output is no terminal", async () => {
    const { logger, lines } = createLogLines("info");
    const chains: NamedProgress[] = [
      { name: "C-Chain", ids: { chainId: "43114" }, current },
      { name: "P-Chain of fuji", ids: { networkId: "5", chain: "P" }, current },
      { name: "at its head", ids: { chainId: "7" }, current: { ...current, state: "FOLLOWING" } },
    ];
    using _shown = showProgress(() => chains, { write: () => true }, logger, 1);
    await until(
      () => lines.length >= 2,
      () => JSON.stringify(lines),
    );
    expect(lines.slice(0, 2)).toMatchObject([
      { name: "C-Chain", chainId: "43114", blockNumber: 20, secondsLeft: 10, msg: "catching up" },
      { name: "P-Chain of fuji", networkId: "5", chain: "P", msg: "catching up" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("at its head");
  });
});
