import { decodePTransaction } from "../../../../test/support/codec/decode-transactions.ts";
import { nodeJsonOf } from "../../../../test/support/recorded/primary-json.ts";
import {
  counted,
  describeAllRecordings,
  factsOf,
  pairsOf,
  type RecordedFacts,
  type RecordedPair,
  totalOf,
} from "../../../../test/support/recorded/primary-vectors.ts";
import { formatId } from "../../id-text.ts";
import { decodePBlock } from "./p-blocks.ts";

interface BlockJson {
  readonly id: string;
  readonly parentID: string;
  readonly height: string;
  readonly time?: string;
  readonly txs?: readonly unknown[] | null;
  readonly tx?: unknown;
}

describeAllRecordings("P-Chain blocks", (folder) => {
  let facts: RecordedFacts;
  let pairs: RecordedPair[];
  beforeAll(() => {
    facts = factsOf(folder);
    pairs = pairsOf(folder, "p-blocks", "platform.getBlockByHeight", "block");
  });

  it("decode to the node's JSON, with every transaction", () => {
    const chain = { chain: "P", prefix: facts.hrp } as const;
    expect(pairs).toHaveLength(facts.heights.P + 1);
    for (const { bytes, json } of pairs) {
      const block = decodePBlock(bytes);
      const { id, parentID, height, time, txs, tx } = json as BlockJson;
      expect([formatId(block.id), formatId(block.parentId), String(block.height)]).toEqual([id, parentID, height]);
      expect(block.time).toBe(time === undefined ? null : Number(time));
      expect(block.size).toBe(bytes.byteLength);
      const transactions = block.transactions.map((one) => nodeJsonOf(one, chain));
      expect(transactions).toEqual([...(txs ?? []), ...(tx ? [tx] : [])]);
    }
  });

  it("have the recorded number of each type, and the ID of the block before as parent", () => {
    const blocks = pairs.map(({ bytes }) => decodePBlock(bytes));
    expect(counted(blocks.map(({ blockType }) => blockType))).toEqual(facts.counts.pBlocks);
    const transactions = blocks.flatMap(({ transactions }) => transactions);
    expect(counted(transactions.map(({ txType }) => txType))).toEqual(facts.counts.pTxs);
    expect(blocks.slice(1).map(({ parentId }) => parentId)).toEqual(blocks.slice(0, -1).map(({ id }) => id));
  });

  it("contain transactions that decode to the same outside the block", () => {
    const transactions = pairsOf(folder, "p-txs", "platform.getTx", "tx");
    expect(transactions).toHaveLength(totalOf(facts.counts.pTxs));
    for (const { bytes, json } of transactions) {
      const transaction = decodePTransaction(bytes);
      expect(nodeJsonOf(transaction, { chain: "P", prefix: facts.hrp })).toEqual(json);
      expect(transaction.size).toBe(bytes.byteLength);
    }
  });
});
