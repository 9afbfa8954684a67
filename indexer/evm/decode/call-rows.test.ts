import type { Frame } from "../wire/call-trees.ts";
import { callRows } from "./call-rows.ts";
import { blockColumns } from "./shared-columns.ts";

describe("the rows of call trees", () => {
  const address = (digit: string) => digit.repeat(40);
  const frame = (
    depth: number,
    opcode: string,
    over: Partial<Record<"to" | "value" | "error", string | null>> = {},
    out = 32,
  ): Frame => [
    depth,
    opcode,
    address("a"),
    over.to === undefined ? address("b") : over.to,
    over.value === undefined ? "5" : over.value,
    "30000",
    "21000",
    over.error ?? null,
    out,
  ];
  const rowsOf = (tree: readonly Frame[]) => {
    const transaction = { hash: `0x${"11".repeat(32)}`, from: `0x${address("a")}` };
    const block = { number: "0x7", hash: `0x${"00".repeat(32)}`, timestamp: "0x9", transactions: [transaction] };
    const raw = { block, receipts: [{ status: "0x1", contractAddress: null }], traces: [tree] };
    const rows = callRows(blockColumns(raw as never), raw as never);
    return {
      internals: rows.evm_internal_transactions.map(({ trace_index, internal_tx_type, opcode, is_reverted }) =>
        [trace_index, internal_tx_type, opcode, is_reverted].join(" "),
      ),
      deployments: rows.evm_deployments.map(({ address, trace_index, opcode }) =>
        [address, trace_index, opcode].join(" "),
      ),
      receivers: rows.evm_internal_transactions.map(({ to_address }) => to_address),
    };
  };

  it("E10 the outermost frame is not internal, and frames without value are not listed", () => {
    const tree = [
      frame(0, "CALL"),
      frame(1, "CALL", { value: "0" }),
      frame(1, "DELEGATECALL"),
      frame(1, "STATICCALL", { value: null }),
      frame(1, "CALLCODE"),
      frame(1, "SELFDESTRUCT", { value: "0" }),
      frame(1, "SELFDESTRUCT"),
      frame(1, "CREATE", { value: "0" }),
    ];
    expect(rowsOf(tree).internals).toEqual([
      "4 CALLCODE CALLCODE false",
      "6 UNKNOWN SELFDESTRUCT false",
      "7 CREATE CREATE false",
    ]);
  });

  it("E10 frames within a failed frame are reverted, later frames are not", () => {
    const tree = [
      frame(0, "CALL"),
      frame(1, "CALL", { error: "execution reverted" }),
      frame(2, "CALL"),
      frame(3, "CREATE2"),
      frame(2, "CALL"),
      frame(1, "CALL"),
    ];
    expect(rowsOf(tree)).toMatchObject({
      internals: [
        "1 CALL CALL true",
        "2 CALL CALL true",
        "3 CREATE2 CREATE2 true",
        "4 CALL CALL true",
        "5 CALL CALL false",
      ],
      deployments: [],
    });
  });

  it("E10 a failed outermost frame reverts all frames", () => {
    expect(rowsOf([frame(0, "CALL", { error: "out of gas" }), frame(1, "CALL")]).internals).toEqual([
      "1 CALL CALL true",
    ]);
  });

  it("E6 a failed creation has no address, and a creation without code is not a deployment", () => {
    const tree = [
      frame(0, "CREATE"),
      frame(1, "CREATE", { to: null, error: "execution reverted" }),
      frame(1, "CREATE2", {}, 0),
      frame(1, "CREATE2", { to: address("c") }),
    ];
    expect(rowsOf(tree)).toMatchObject({
      receivers: [null, address("b"), address("c")],
      deployments: [`${address("b")} 0 CREATE`, `${address("c")} 3 CREATE2`],
    });
  });
});
