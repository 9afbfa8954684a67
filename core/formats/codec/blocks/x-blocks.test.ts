import { decodeXTransaction } from "../../../../test/support/codec/decode-transactions.ts";
import { nodeJsonOf } from "../../../../test/support/recorded/primary-json.ts";
import {
  counted,
  describeRecordings,
  factsOf,
  pairsOf,
  type RecordedFacts,
  type RecordedPair,
  totalOf,
} from "../../../../test/support/recorded/primary-vectors.ts";
import { formatId } from "../../id-text.ts";
import { decodeXBlock } from "./x-blocks.ts";

interface BlockJson {
  readonly id: string;
  readonly parentID: string;
  readonly height: string;
  readonly time: string;
  readonly merkleRoot: string;
  readonly txs: readonly unknown[] | null;
}

describeRecordings("X-Chain blocks", (folder) => {
  let facts: RecordedFacts;
  let pairs: RecordedPair[];
  beforeAll(() => {
    facts = factsOf(folder);
    pairs = pairsOf(folder, "x-blocks", "avm.getBlockByHeight", "block");
  });

  it("decode to the node's JSON, with every transaction", () => {
    const chain = { chain: "X", prefix: facts.hrp } as const;
    expect(pairs).toHaveLength(facts.heights.X + 1);
    for (const { bytes, json } of pairs) {
      const block = decodeXBlock(bytes);
      const { id, parentID, height, time, merkleRoot, txs } = json as BlockJson;
      expect([block.id, block.parentId, block.merkleRoot].map(formatId)).toEqual([id, parentID, merkleRoot]);
      expect([block.height, block.time].map(String)).toEqual([height, time]);
      expect(block.size).toBe(bytes.byteLength);
      expect(block.transactions.map((one) => nodeJsonOf(one, chain))).toEqual(txs ?? []);
    }
  });

  it("have the ID of the previous block as parent", () => {
    const blocks = pairs.map(({ bytes }) => decodeXBlock(bytes));
    expect(blocks.map(({ height }) => height)).toEqual([...blocks.keys()]);
    expect(blocks.slice(1).map(({ parentId }) => parentId)).toEqual(blocks.slice(0, -1).map(({ id }) => id));
  });

  it("contain transactions, as vertices do, that decode to the same outside and have the recorded number of each type", () => {
    const all = pairsOf(folder, "x-txs", "avm.getTx", "tx");
    for (const { bytes, json } of all) {
      const transaction = decodeXTransaction(bytes);
      expect(nodeJsonOf(transaction, { chain: "X", prefix: facts.hrp })).toEqual(json);
      expect(transaction.size).toBe(bytes.byteLength);
    }
    const [genesis, ...types] = all.map(({ bytes }) => decodeXTransaction(bytes).txType);
    expect(genesis).toBe("CreateAssetTx");
    expect(counted(types)).toEqual(facts.counts.xTxs);
    expect(types).toHaveLength(totalOf(facts.counts.xTxs));
  });
});
