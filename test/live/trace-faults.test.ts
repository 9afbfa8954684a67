import { elementsOf } from "../../recordings/json-text.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { createTestDatabase } from "../support/database/database.ts";
import type { Tables } from "../support/database/tables.ts";
import { sampled } from "../support/full.ts";
import { type Indexing, startIndexing, until } from "../support/indexed/indexing.ts";
import { FAULTS, type Fault } from "../support/node/faults.ts";
import { type FaultyNode, startFaultyNode } from "../support/node/faulty-node.ts";
import { failure } from "../support/node/rpc-answers.ts";
import { expectSameRows } from "./expect-same-rows.ts";

const C = "/ext/bc/C/rpc";
const CHAIN = 760_011;
const TRACES = "debug_traceBlockByNumber";
const recording = openRecording(ALPHA);
/** Number of a block with several receipts and logs. */
const HEIGHT = recording.calls(C, "eth_getLogs").findIndex(({ text }) => elementsOf(text).length > 3);
const END = HEIGHT + 20;

function hashAt(height: number): string {
  const answer = recording.answer(C, "eth_getBlockByNumber", [`0x${height.toString(16)}`, true]);
  return (JSON.parse(answer?.text ?? "{}") as { hash: string }).hash;
}

let upstream: ReplayNode;
let undisturbed: Tables;
beforeAll(async () => {
  upstream = await startReplayNode({ recording });
  upstream.setHead("C", END);
  await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: upstream.url + C });
  await indexing.untilHead(hashAt(END));
  undisturbed = await indexing.tables();
});
afterAll(() => upstream[Symbol.asyncDispose]());

interface Retry {
  readonly block_number: number;
  readonly reason: string;
  readonly attempts: number;
  readonly isDue: boolean;
}

const retriesOf = async ({ database: { pool } }: Pick<Indexing, "database">): Promise<Retry[]> => {
  const text = `SELECT block_number, reason, attempts, due_at IS NOT NULL AS "isDue" FROM trace_retries ORDER BY 1`;
  return (await pool.query<Retry>(text)).rows;
};

const untracedOf = async (indexing: Indexing) =>
  (await indexing.tables()).untraced_ranges.map(({ from_block, to_block }) => [Number(from_block), Number(to_block)]);

const start = (node: FaultyNode, traces: Mode = "auto") =>
  startIndexing({ chainId: CHAIN, nodeUrl: node.url + C, chain: { traces } });

async function untilComplete(indexing: Indexing): Promise<void> {
  await until(
    () => untracedOf(indexing),
    (ranges) => ranges.length === 0,
    "the call trees of all blocks",
  );
  expect(await retriesOf(indexing)).toEqual([]);
  expectSameRows(await indexing.tables(), undisturbed);
}

type Mode = "auto" | "on";
type Case = readonly [what: string, fault: Fault, reason: RegExp];

const CONTRADICTIONS: readonly Case[] = [
  ["a missing call tree", FAULTS.tracesMissingOne(HEIGHT), new RegExp(`block ${HEIGHT} has .* traces`)],
  ["null for call trees", FAULTS.tracesNull(HEIGHT), new RegExp(`traces of block ${HEIGHT} are null, not a list`)],
  [
    "call trees of another block",
    FAULTS.tracesOfAnotherBlock(HEIGHT),
    new RegExp(`block ${HEIGHT} has .* traces|trace 0 of block ${HEIGHT}: transaction hash is`),
  ],
  [
    "call trees in another order",
    FAULTS.tracesReversed(HEIGHT),
    new RegExp(`trace 0 of block ${HEIGHT}: transaction hash is`),
  ],
  [
    "a call tree of another transaction",
    FAULTS.tracesOfAnotherTransaction(HEIGHT),
    new RegExp(`trace 0 of block ${HEIGHT}: (type of the outermost frame|sender|receiver|gas used) is`),
  ],
  [
    "a call tree with other gas",
    FAULTS.traceWith(HEIGHT, { gasUsed: "0x5209" }),
    new RegExp(`trace 0 of block ${HEIGHT}: gas used is "21001", expected`),
  ],
  [
    "a failed call tree of a successful transaction",
    FAULTS.traceWith(HEIGHT, { error: "execution reverted" }),
    new RegExp(`trace 0 of block ${HEIGHT}: success is false, expected true`),
  ],
  [
    "a call tree with invalid fields",
    FAULTS.traceWith(HEIGHT, { calls: [{ type: "CALL", from: "0x12", gas: "0x0", gasUsed: "0x0" }] }),
    new RegExp(`trace 0 of block ${HEIGHT}: sender of a frame is "0x12"`),
  ],
];

/** An error instead of one transaction's tree. */
const failedTransaction = (error: string): Fault => ({
  answer: (method, params, answer) =>
    method === TRACES && params[0] === `0x${HEIGHT.toString(16)}` && "result" in answer
      ? { result: (answer.result as object[]).map((trace, i) => (i === 0 ? { error } : trace)) }
      : answer,
});

const PASSING: readonly Case[] = [
  ["a timeout of the tracer", FAULTS.refused(TRACES, HEIGHT, -32000, "execution timeout"), /cannot compute in time/],
  ["an internal error", FAULTS.refused(TRACES, HEIGHT, -32603, "Internal error"), /refuses the traces/],
  ["an unknown error", FAULTS.refused(TRACES, HEIGHT, -1, "the moon is full"), /refuses the traces/],
  ["an unknown block", FAULTS.refused(TRACES, HEIGHT, -32000, "block #9 not found"), /refuses the traces/],
  ["a failed transaction", failedTransaction("execution timeout"), /cannot compute in time/],
];

describe("call trees of a block that the node fails to return", () => {
  const inMode = (mode: Mode, cases: readonly Case[]) => cases.map((one) => [mode, ...one] as const);
  const CASES = [
    ...sampled(inMode("auto", [...PASSING, ...CONTRADICTIONS]), 3),
    ...sampled(inMode("on", CONTRADICTIONS), 3),
  ];

  it.concurrent.each<readonly [Mode, ...Case]>(CASES)(
    "are missing with the reason, and are added with their rows once the node returns them (traces: %s): %s",
    async (mode, _what, fault, reason) => {
      await using node = await startFaultyNode({ upstream: upstream.url });
      node.faults.wrongAnswers = [fault];
      await using indexing = await start(node, mode);
      await indexing.untilHead(hashAt(END));
      await indexing.untilState("FOLLOWING", /^$/);
      expect(await untracedOf(indexing)).toEqual([[HEIGHT, HEIGHT]]);
      const [retry] = await until(
        () => retriesOf(indexing),
        ([first]) => (first?.attempts ?? 0) > 1,
        "another attempt",
      );
      expect(retry).toMatchObject({ block_number: HEIGHT, reason: expect.stringMatching(reason), isDue: true });
      await node.heal();
      await untilComplete(indexing);
    },
  );

  it.concurrent("are requested again after a restart of the indexer", async () => {
    await using node = await startFaultyNode({ upstream: upstream.url });
    await using database = await createTestDatabase();
    node.faults.wrongAnswers = [FAULTS.refused(TRACES, HEIGHT), FAULTS.refused(TRACES, HEIGHT + 2)];
    {
      await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: node.url + C, database });
      await indexing.untilHead(hashAt(END));
    }
    await node.heal();
    await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: node.url + C, database });
    await untilComplete(indexing);
  });

  it.concurrent("are not requested again from a node that has pruned the state", async () => {
    await using node = await startFaultyNode({ upstream: upstream.url });
    node.faults.wrongAnswers = [
      FAULTS.refused(TRACES, HEIGHT, -32000, "required historical state unavailable (reexec=128)"),
      FAULTS.refused(TRACES, HEIGHT + 2, -32000, "execution timeout"),
    ];
    await using indexing = await start(node);
    await indexing.untilHead(hashAt(END));
    expect((await retriesOf(indexing)).map((retry) => retry.block_number)).toEqual([HEIGHT + 2]);
    // A block that is pruned meanwhile is not requested a third time.
    node.faults.wrongAnswers = [HEIGHT, HEIGHT + 2].map((height) =>
      FAULTS.refused(TRACES, height, -32000, "missing trie node ab (path ) state 0xcd is not available"),
    );
    const [retry] = await until(
      () => retriesOf(indexing),
      ([first]) => first?.isDue === false,
      "the last attempt",
    );
    expect(retry?.reason).toBe(`the node no longer has the state for the traces of block ${HEIGHT + 2}`);
    expect(await untracedOf(indexing)).toEqual([
      [HEIGHT, HEIGHT],
      [HEIGHT + 2, HEIGHT + 2],
    ]);
  });

  it.concurrent("are missing if each request for them gets no answer, and the chain goes on", async () => {
    await using node = await startFaultyNode({ upstream: upstream.url });
    const busy: Fault = {
      answer: (method, [block], answer) =>
        method === TRACES && Number(block) === HEIGHT ? failure(-32005, "limit exceeded") : answer,
    };
    node.faults.wrongAnswers = [busy];
    await using indexing = await start(node);
    await indexing.untilHead(hashAt(END));
    expect(await untracedOf(indexing)).toEqual([[HEIGHT, HEIGHT]]);
    expect((await retriesOf(indexing))[0]?.reason).toBe(
      `the traces of block ${HEIGHT} cannot be read: the node is busy`,
    );
    await node.heal();
    await untilComplete(indexing);
  });
});
