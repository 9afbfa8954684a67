import type { Gap } from "../../compare/gap.ts";
import { gapsReport } from "./report.ts";

describe("the report of gaps", () => {
  const gap = (table: Gap["table"], blockNumber: number | null, isRepaired: boolean, wrong = 0): Gap => ({
    table,
    blockNumber,
    expected: 3,
    found: 2,
    wrong,
    isRepaired,
  });
  const nothing = { traces: { isOn: true, reason: null }, untraced: [] };

  it.each([
    ["nothing", { gaps: [], ...nothing }, false, true, "nothing is missing"],
    [
      "blocks in a row as one line",
      { gaps: [gap("evm_logs", 3, false), gap("evm_logs", 4, false, 1), gap("evm_logs", 9, false)], ...nothing },
      false,
      false,
      "blocks 3 to 4: evm_logs has 4 rows of 6, 1 of them wrong\nblock 9: evm_logs has 2 rows of 3\n`moraine gaps --chain 7 --repair` repairs this",
    ],
    [
      "rows that are computed from several blocks",
      { gaps: [gap("erc20_holders", null, false, 1)], ...nothing },
      false,
      false,
      "all blocks: erc20_holders has 2 rows of 3, 1 of them wrong\n`moraine gaps --chain 7 --repair` repairs this",
    ],
    [
      "that all was repaired",
      { gaps: [gap("evm_logs", 3, true)], ...nothing },
      true,
      true,
      "block 3: evm_logs has 2 rows of 3\nall of this was repaired",
    ],
    [
      "what could not be repaired",
      { gaps: [gap("raw_traces", 3, false)], traces: { isOn: true, reason: "pruned" }, untraced: [{ from: 3, to: 3 }] },
      true,
      false,
      "block 3: raw_traces has 2 rows of 3\neverything except raw_traces was repaired: these call trees cannot be fetched and are recorded as missing\nblock 3: indexed without call trees (pruned); `moraine backfill traces --chain 7` fetches them",
    ],
    [
      "why a chain has no call trees, but not which blocks lack them",
      { gaps: [], traces: { isOn: false, reason: "why" }, untraced: [{ from: 0, to: 9 }] },
      false,
      true,
      "nothing is missing\nthe chain has no call trees: why",
    ],
  ])("tells %s", (_what, found, repair, isComplete, text) => {
    expect(gapsReport(found, repair, "7")).toEqual({ isComplete, text });
  });
});
