import { elementsOf } from "../../../recordings/json-text.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../../recordings/replay-node.ts";
import { startIndexing } from "../../../test/support/indexed/indexing.ts";
import { FAULTS, type Fault } from "../../../test/support/node/faults.ts";
import { startFaultyNode } from "../../../test/support/node/faulty-node.ts";
import { PRIMARY_FAULTS } from "../../../test/support/node/primary-faults.ts";

const C = "/ext/bc/C/rpc";
const recording = openRecording(ALPHA);
/** Number of a block with several receipts and logs. */
const HEIGHT = recording.calls(C, "eth_getLogs").findIndex(({ text }) => elementsOf(text).length > 3);
const END = HEIGHT + 20;

function blockAt(height: number): { readonly hash: string; readonly transactions: readonly unknown[] } {
  const answer = recording.answer(C, "eth_getBlockByNumber", [`0x${height.toString(16)}`, true]);
  return JSON.parse(answer?.text ?? "{}");
}

const hashAt = (height: number): string => blockAt(height).hash;
const transactionsAt = (height: number): number => blockAt(height).transactions.length;

it("a node that answers eth_chainId with null makes the chain wait", async () => {
  await using upstream = await startReplayNode({ recording });
  upstream.setHead("C", 9);
  await using node = await startFaultyNode({ upstream: upstream.url });
  node.faults.wrongAnswers = [PRIMARY_FAULTS.answers("eth_chainId", null)];
  await using indexing = await startIndexing({ chainId: 760_011, nodeUrl: node.url + C });
  await indexing.untilState("WAITING", /^the node answered eth_chainId with null$/);
  await node.heal();
  await indexing.untilHead(hashAt(9));
});

describe("a bad block in the middle of a batch", () => {
  let upstream: ReplayNode;
  beforeAll(async () => {
    upstream = await startReplayNode({ recording });
    upstream.setHead("C", END);
  });
  afterAll(() => upstream[Symbol.asyncDispose]());

  it.each<[what: string, faults: readonly Fault[], state: string, reason: string]>([
    ["another number", [FAULTS.otherNumber(HEIGHT)], "STOPPED", "^the node returned block .* for block N$"],
    [
      "another parent",
      [FAULTS.wrongParentHash(HEIGHT)],
      "STOPPED",
      "^block N of the node does not name the node's own",
    ],
    [
      "a missing receipt in the list, and single receipts of another block",
      [FAULTS.receiptsMissingOne(HEIGHT), FAULTS.singleReceiptsOfAnotherBlock(HEIGHT)],
      "STOPPED",
      "^receipt of transaction 0 of block N: blockHash is",
    ],
    [
      "a missing receipt in the list, and no single receipts",
      [FAULTS.receiptsMissingOne(HEIGHT), FAULTS.methodMissing("eth_getTransactionReceipt")],
      "STOPPED",
      "^the node refuses the receipts of block N$",
    ],
    ["logs of another block", [FAULTS.logsOfAnotherBlock(HEIGHT)], "STOPPED", "^log 0 of block N: blockHash"],
    ["refused call trees", [FAULTS.refused("debug_traceBlockByNumber", HEIGHT)], "WAITING", "block N"],
  ])(
    "with %s: the blocks before it are stored, the reason names it, and it is indexed when it is repaired",
    async (...one) => {
      const [, faults, state, reason] = one;
      await using node = await startFaultyNode({ upstream: upstream.url });
      node.faults.wrongAnswers = faults;
      const chain = { traces: "on" } as const;
      await using indexing = await startIndexing({ chainId: 760_011, nodeUrl: node.url + C, chain });
      await indexing.untilState(state, new RegExp(reason.replace("N", String(HEIGHT))));
      const { rows } = await indexing.database.pool.query("SELECT block_number::int AS head FROM chain_heads");
      expect(rows).toEqual([{ head: HEIGHT - 1 }]);
      await node.heal();
      await indexing.untilHead(hashAt(END));
    },
  );

  it.each<[what: string, fault: Fault]>([
    ["too short", FAULTS.receiptsMissingOne(HEIGHT)],
    ["empty", FAULTS.receiptsEmpty(HEIGHT)],
    ["null", FAULTS.receiptsNull(HEIGHT)],
    ["too long", FAULTS.receiptsOneTooMany(HEIGHT)],
    ["one receipt, repeated", FAULTS.receiptsDuplicated(HEIGHT)],
    ["in another order", FAULTS.receiptsReversed(HEIGHT)],
    ["with a null", FAULTS.receiptsWithNull(HEIGHT)],
    ["of another block", FAULTS.receiptsOfAnotherBlock(HEIGHT)],
  ])("with a list of receipts that is wrong (%s): its receipts are read one by one", async (_what, fault) => {
    await using node = await startFaultyNode({ upstream: upstream.url });
    node.faults.wrongAnswers = [fault];
    await using indexing = await startIndexing({ chainId: 760_011, nodeUrl: node.url + C });
    await indexing.untilHead(hashAt(END));
    expect(node.traffic.calls.get("eth_getTransactionReceipt")).toBe(transactionsAt(HEIGHT));
  });
});
