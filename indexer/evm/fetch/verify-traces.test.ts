import { BadUpstreamData } from "../../../core/errors.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { recordedBlocks } from "../../../test/support/recorded/recorded-blocks.ts";
import { callRows, placeOf } from "../decode/block.ts";
import { type Frame, TraceRefused, verifyTraces } from "./verify-traces.ts";

const recording = openRecording(ALPHA);
const PATH = "/ext/bc/C/rpc";

interface WireFrame extends Record<string, unknown> {
  calls?: WireFrame[];
}
type Answer = { txHash: string; result: WireFrame }[];

const answered = (number: number): Answer | null => {
  const answer = recording.answer(PATH, "debug_traceBlockByNumber", [
    `0x${number.toString(16)}`,
    { tracer: "callTracer" },
  ]);
  return answer?.kind === "result" ? (JSON.parse(answer.text) as Answer) : null;
};

const blocks = recordedBlocks().filter(({ receipts }) => receipts.length > 0);
const frames = (frame: WireFrame): number => 1 + (frame.calls ?? []).reduce((sum, call) => sum + frames(call), 0);

it("the call trees of every recorded block are true, and no frame of them is lost", () => {
  expect(blocks.length).toBeGreaterThan(100);
  for (const { number, block, receipts } of blocks) {
    const answer = answered(number) as Answer;
    const traces = verifyTraces(block, receipts, answer);
    expect(traces.map((tree) => tree.length)).toEqual(answer.map(({ result }) => frames(result)));
  }
});

describe("call trees that cannot be the block's are refused:", () => {
  const sample = blocks.find(
    ({ number, receipts }) =>
      receipts.length > 1 &&
      receipts[0]?.status === "0x1" &&
      answered(number)?.some(({ result }) => (result.calls ?? []).length > 1),
  );
  if (!sample) throw new Error("the recording has no such block");
  const { block, receipts, number } = sample;
  const calls = (answer: Answer): WireFrame[] => answer.flatMap(({ result }) => result.calls ?? []);
  const inner = (answer: Answer): WireFrame => calls(answer)[0] as WireFrame;
  const deep = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`) as unknown;
  const root = (answer: Answer): WireFrame => (answer[0] as Answer[0]).result;

  it.each<[what: string, spoil: (answer: Answer) => unknown, reason: string]>([
    ["null", () => null, "not a list"],
    ["one too few", (answer) => answer.slice(1), "traces"],
    ["one too many", (answer) => [...answer, answer[0]], "traces"],
    ["in another order", (answer) => [...answer].reverse(), "expected"],
    ["an element of null", (answer) => answer.with(0, null as never), "not an object"],
    ["a frame of null", (answer) => void Object.assign(answer[0] as object, { result: null }), "not an object"],
    ["another sender", (answer) => void Object.assign(root(answer), { from: `0x${"12".repeat(20)}` }), "sender"],
    ["another receiver", (answer) => void Object.assign(root(answer), { to: `0x${"12".repeat(20)}` }), "receiver"],
    ["other gas", (answer) => void Object.assign(root(answer), { gasUsed: "0x1" }), "gas used"],
    ["a failure of what succeeded", (answer) => void Object.assign(root(answer), { error: "reverted" }), "success"],
    ["an inner frame without sender", (answer) => void delete inner(answer)["from"], "sender of a frame"],
    ["a value that is no quantity", (answer) => void Object.assign(inner(answer), { value: "1" }), "value of a frame"],
    ["a type that is no word", (answer) => void Object.assign(inner(answer), { type: "<b>" }), "of the type"],
    [
      "an error that is no text",
      (answer) => void Object.assign(inner(answer), { error: false }),
      "the error of a frame",
    ],
    [
      "an error that cannot be made a text",
      (answer) => void Object.assign(inner(answer), { error: { toString: 1 } }),
      "the error of a frame",
    ],
    ["a type of 200,000 lists", (answer) => void Object.assign(inner(answer), { type: deep }), "of the type"],
    ["an empty receiver", (answer) => void Object.assign(inner(answer), { to: "" }), "receiver of a frame"],
    [
      "another outermost type",
      (answer) => void Object.assign(root(answer), { type: "STATICCALL" }),
      "type of the outermost",
    ],
    [
      "a creation that is none",
      (answer) => void Object.assign(root(answer), { type: "CREATE" }),
      "type of the outermost",
    ],
    ["another value", (answer) => void Object.assign(root(answer), { value: "0x123456789" }), ": value is"],
    [
      "a creation whose output is no hex",
      (answer) => void Object.assign(inner(answer), { type: "CREATE", output: "some code" }),
      "output of a creation",
    ],
    ["calls that are no list", (answer) => void Object.assign(inner(answer), { calls: {} }), "no list"],
  ])("%s", (_, spoil, reason) => {
    const answer = structuredClone(answered(number) as Answer);
    const spoilt = spoil(answer);
    expect(() => verifyTraces(block, receipts, spoilt === undefined ? answer : spoilt)).toThrow(
      expect.objectContaining({ constructor: BadUpstreamData, message: expect.stringContaining(reason) }),
    );
  });

  it("any member that is of another kind, or it does not matter, and nothing else is thrown", () => {
    const oddities: readonly unknown[] = [
      undefined,
      null,
      "",
      "0x",
      "0xzz",
      7,
      {},
      [],
      [null],
      "0x1".padEnd(100, "0"),
      true,
      { toString: 1 },
    ];
    const answer = structuredClone(answered(number) as Answer);
    const holders = answer.flatMap((item) => [item, item.result, ...(item.result.calls ?? [])]) as WireFrame[];
    let refusals = 0;
    for (const holder of holders) {
      for (const [name, before] of Object.entries(holder)) {
        for (const oddity of oddities) {
          holder[name] = oddity;
          try {
            verifyTraces(block, receipts, answer);
          } catch (error) {
            if (!(error instanceof BadUpstreamData || error instanceof TraceRefused))
              throw new Error(`${name} as ${JSON.stringify(oddity)}: ${error}`);
            refusals++;
          }
        }
        holder[name] = before;
      }
    }
    expect(refusals).toBeGreaterThan(200);
    verifyTraces(block, receipts, answer);
  });

  it("another contract than the receipt's", () => {
    const creation = blocks.find(({ receipts: [first] }) => first?.status === "0x1" && first.contractAddress);
    if (!creation) throw new Error("the recording has no such block");
    const answer = structuredClone(answered(creation.number) as Answer);
    verifyTraces(creation.block, creation.receipts, answer);
    Object.assign(root(answer), { to: `0x${"12".repeat(20)}` });
    expect(() => verifyTraces(creation.block, creation.receipts, answer)).toThrow("receiver is");
  });

  it("more frames than the gas paid for, at once", () => {
    const answer = structuredClone(answered(number) as Answer);
    Object.assign(root(answer), { calls: new Array(30_000_000).fill({}) });
    const startedAt = performance.now();
    expect(() => verifyTraces(block, receipts, answer)).toThrow("more frames than its gas can have paid for");
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it.each([null, ""])("but an error of %j is none", (error) => {
    const answer = structuredClone(answered(number) as Answer);
    for (const frame of calls(answer)) frame["error"] ??= error;
    expect(verifyTraces(block, receipts, answer)).toEqual(verifyTraces(block, receipts, answered(number)));
  });

  it("but gas that is counted from the block's first transaction on, as anvil does, is no lie", () => {
    const answer = structuredClone(answered(number) as Answer);
    for (const [i, { result }] of answer.entries()) result["gasUsed"] = receipts[i]?.cumulativeGasUsed;
    expect(verifyTraces(block, receipts, answer)).toHaveLength(receipts.length);
  });

  it("but a transaction that the node could not trace is said to be so", () => {
    const answer = (answered(number) as Answer).map(({ txHash }) => ({ txHash, error: "execution timeout" }));
    expect(() => verifyTraces(block, receipts, answer)).toThrow(TraceRefused);
  });

  it("but a transaction that the node could not trace for a reason that is no text is said to be so", () => {
    const answer = (answered(number) as Answer).map(({ txHash }) => ({ txHash, error: { toString: 1 } }));
    expect(() => verifyTraces(block, receipts, answer)).toThrow(TraceRefused);
  });
});

describe("rows of call trees", () => {
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
    const rows = callRows(placeOf("1", raw as never), raw as never);
    return {
      internals: rows.evm_internal_transactions.map((row) => [row[3], row[9], row[10], row[12]].join(" ")),
      deployments: rows.evm_deployments.map((row) => [row[1], row[4], row[7]].join(" ")),
      receivers: rows.evm_internal_transactions.map((row) => row[8]),
    };
  };

  it("E10 the outermost frame is not internal, and frames that move nothing are not listed", () => {
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
    expect(rowsOf(tree).internals).toEqual(["4 CALLCODE CALLCODE f", "6 UNKNOWN SELFDESTRUCT f", "7 CREATE CREATE f"]);
  });

  it("E10 what is below a failed frame is reverted, what comes after it is not", () => {
    const tree = [
      frame(0, "CALL"),
      frame(1, "CALL", { error: "execution reverted" }),
      frame(2, "CALL"),
      frame(3, "CREATE2"),
      frame(2, "CALL"),
      frame(1, "CALL"),
    ];
    expect(rowsOf(tree)).toMatchObject({
      internals: ["1 CALL CALL t", "2 CALL CALL t", "3 CREATE2 CREATE2 t", "4 CALL CALL t", "5 CALL CALL f"],
      deployments: [],
    });
  });

  it("E10 a failed outermost frame reverts all", () => {
    expect(rowsOf([frame(0, "CALL", { error: "out of gas" }), frame(1, "CALL")]).internals).toEqual(["1 CALL CALL t"]);
  });

  it("E6 a creation that failed names no address, and one that left no code made no contract", () => {
    const tree = [
      frame(0, "CREATE"),
      frame(1, "CREATE", { to: null, error: "execution reverted" }),
      frame(1, "CREATE2", {}, 0),
      frame(1, "CREATE2", { to: address("c") }),
    ];
    expect(rowsOf(tree)).toMatchObject({
      receivers: [null, `\\x${address("b")}`, `\\x${address("c")}`],
      deployments: [`\\x${address("b")} 0 CREATE`, `\\x${address("c")} 3 CREATE2`],
    });
  });
});
