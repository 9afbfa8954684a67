import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { recordedBlocks } from "../../../test/support/recorded/recorded-blocks.ts";
import { TraceRefused, verifyTraces } from "./verify-traces.ts";

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

it("every recorded block's call trees are accepted, with all frames", () => {
  expect(blocks.length).toBeGreaterThan(100);
  for (const { number, block, receipts } of blocks) {
    const answer = answered(number) as Answer;
    const traces = verifyTraces(block, receipts, answer);
    expect(traces.map((tree) => tree.length)).toEqual(answer.map(({ result }) => frames(result)));
  }
});

describe("call trees that do not belong to the block are refused:", () => {
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

  it.each<[what: string, damage: (answer: Answer) => unknown, reason: string]>([
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
    ["a type that is no word", (answer) => void Object.assign(inner(answer), { type: "<b>" }), "the type of a frame"],
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
    ["a type of 200,000 lists", (answer) => void Object.assign(inner(answer), { type: deep }), "the type of a frame"],
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
    ["calls that are not a list", (answer) => void Object.assign(inner(answer), { calls: {} }), "not a list"],
  ])("%s", (_, damage, reason) => {
    const answer = structuredClone(answered(number) as Answer);
    const damaged = damage(answer);
    expect(() => verifyTraces(block, receipts, damaged === undefined ? answer : damaged)).toThrow(
      expect.objectContaining({ constructor: BadUpstreamData, message: expect.stringContaining(reason) }),
    );
  });

  it("a member of any other type is refused or ignored, and no other error is thrown", () => {
    const values: readonly unknown[] = [
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
        for (const value of values) {
          holder[name] = value;
          try {
            verifyTraces(block, receipts, answer);
          } catch (error) {
            if (!(error instanceof BadUpstreamData || error instanceof TraceRefused))
              throw new Error(`${name} as ${JSON.stringify(value)}: ${error}`);
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

  it("more frames than the gas paid for", () => {
    const answer = structuredClone(answered(number) as Answer);
    Object.assign(root(answer), { calls: new Array(30_000_000).fill({}) });
    expect(() => verifyTraces(block, receipts, answer)).toThrow("more frames than its gas can have paid for");
  });

  it.each([null, ""])("but an error of %j means success", (error) => {
    const answer = structuredClone(answered(number) as Answer);
    for (const frame of calls(answer)) frame["error"] ??= error;
    expect(verifyTraces(block, receipts, answer)).toEqual(verifyTraces(block, receipts, answered(number)));
  });

  it("but gas that includes the block's earlier transactions, as anvil counts it, is accepted", () => {
    const answer = structuredClone(answered(number) as Answer);
    for (const [i, { result }] of answer.entries()) result["gasUsed"] = receipts[i]?.cumulativeGasUsed;
    expect(verifyTraces(block, receipts, answer)).toHaveLength(receipts.length);
  });

  it("but a transaction that the node could not trace is TraceRefused", () => {
    const answer = (answered(number) as Answer).map(({ txHash }) => ({ txHash, error: "execution timeout" }));
    expect(() => verifyTraces(block, receipts, answer)).toThrow(TraceRefused);
  });

  it("but a transaction that the node could not trace is TraceRefused, whatever the type of its reason", () => {
    const answer = (answered(number) as Answer).map(({ txHash }) => ({ txHash, error: { toString: 1 } }));
    expect(() => verifyTraces(block, receipts, answer)).toThrow(TraceRefused);
  });
});
