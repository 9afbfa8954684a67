import { ERASE_BELOW } from "../core/observability/logger.ts";
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
  verifiedBlockNumber: null,
  differingCount: null,
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

  it("is one line for each chain on a terminal, none wider than it, and whatever is printed next takes their place", async () => {
    const at = (name: string, change: Partial<NamedProgress["current"]>): NamedProgress => ({
      name,
      ids: { chainId: "1" },
      current: { ...current, ...change },
    });
    const far = { nodeBlockNumber: 64_000_000, blockNumber: 62_123_456, blocksPerSecond: 12_345 };
    const chains = [
      at("C-Chain", far),
      at("A chain with a name that is too long for its column", { blockNumber: 20 }),
      at("P-Chain", { state: "FOLLOWING", blockNumber: 100 }),
      at("Down", { state: "WAITING", reason: "the node does not answer ".repeat(9).trim() }),
      at("New", { nodeBlockNumber: null }),
    ];
    const drawn = await firstDrawing(chains, { columns: 80, rows: 24 });
    const back = "\x1b[4A\r";
    expect(drawn.endsWith(back)).toBe(true);
    const lines = drawn.slice(ERASE_BELOW.length, -back.length).split("\n");
    expect(lines.filter((line) => line.length > 79)).toEqual([]);
    expect(lines).toEqual([
      "C-Chain               █████░ 97 % 62,123,456/64,000,000 · 12,345/s · 3 min left",
      "A chain with a name…  ████░░░░░░░░░░░░░░░░ 20 % 20/100 · 8/s · 10 s left",
      "P-Chain               block 100, the node's head",
      expect.stringMatching(/^Down {16} {2}waits at block 20: the node does not answer .*…$/),
      "New                   starts",
    ]);
  });

  it("leaves out chains at their heads first if the terminal has too few rows", async () => {
    const following = { ...current, state: "FOLLOWING" } as const;
    const chains = ["a", "b", "c", "d"].map((name) => ({ name, ids: { chainId: name }, current: following }));
    const drawn = await firstDrawing([...chains, { name: "e", ids: { chainId: "e" }, current }], {
      columns: 30,
      rows: 5,
    });
    const lines = drawn.slice(ERASE_BELOW.length, -"\x1b[2A\r".length).split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^e {2}.*20 % 20\/100/),
      "a  block 20, the node's head",
      "… and 3 more chains",
    ]);
  });
});

async function firstDrawing(
  chains: readonly NamedProgress[],
  size: { columns: number; rows: number },
): Promise<string> {
  const written: string[] = [];
  const terminal = { isTTY: true, ...size, write: (text: string) => written.push(text) };
  using _shown = showProgress(() => chains, terminal, createLogLines("info").logger);
  await until(
    () => written.length > 0,
    () => "nothing was drawn",
  );
  return written[0] ?? "";
}
