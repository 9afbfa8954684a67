import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromRlp, type Hex, keccak256 } from "viem";
import { formatId, formatNodeId, parseIdText } from "../../../core/id-text.ts";
import { readManifest } from "../../../recordings/manifest.ts";
import { nodeJsonOf } from "../../../test/support/primary-json.ts";
import {
  containersOf,
  describeWhere,
  pairsOf,
  parseExactly,
  RECORDINGS,
  resultsIn,
  snapshotsOf,
} from "../../../test/support/primary-vectors.ts";
import { decodeAtomicTransaction, decodeAtomicTransactions } from "./atomic-transactions.ts";
import { parseCheckedHex, parseHex } from "./checked-hex.ts";
import { utxoId } from "./hashes.ts";
import { decodeUtxo, emittedOutputs, type Output, type Utxo } from "./outputs.ts";
import { decodePBlock, type PBlock } from "./p-blocks.ts";
import { decodePGenesis } from "./p-genesis.ts";
import { decodePTransaction, type PTransaction } from "./p-transactions.ts";
import { decodeContainer } from "./proposer-blocks.ts";
import { decodeVertex } from "./vertices.ts";
import { decodeXBlock } from "./x-blocks.ts";
import { decodeXGenesis } from "./x-genesis.ts";
import { decodeXTransaction, type XTransaction } from "./x-transactions.ts";

describe.each(RECORDINGS)("the codec and the recording", (recording) => {
  describeWhere(recording, recording.name, () => {
    const { folder } = recording;
    const prefix = "custom";
    let pBlocks: { block: PBlock; json: Record<string, unknown> }[];

    beforeAll(() => {
      pBlocks = pairsOf(folder, "p-blocks", "platform.getBlockByHeight", "block").map(({ bytes, json }) => ({
        block: decodePBlock(bytes),
        json: json as Record<string, unknown>,
      }));
    });

    it("says of every P-Chain block what the node says", () => {
      for (const { block, json } of pBlocks) {
        const { id, parentID, height, time = null, txs = null, tx } = json;
        const listed = [...((txs as unknown[] | null) ?? []), ...(tx ? [tx] : [])];
        expect(formatId(block.id)).toBe(id);
        expect(formatId(block.parentId)).toBe(parentID);
        expect([String(block.height), block.time && String(block.time)]).toEqual([height, time]);
        expect(block.transactions.map((one) => nodeJsonOf(one, { chain: "P", prefix }))).toEqual(listed);
      }
      const { heights } = readManifest(folder) as unknown as { heights: { P: number } };
      expect(pBlocks.map(({ block }) => block.height)).toEqual([...Array(heights.P + 1).keys()]);
    });

    it("counts the kinds of P-Chain blocks and transactions that the recording says it has", () => {
      const blocks = pBlocks.map(({ block }) => block);
      expect({
        blocks: counts(blocks.map(({ blockType }) => blockType)),
        transactions: counts(blocks.flatMap(({ transactions }) => transactions.map(({ txType }) => txType))),
      }).toEqual(countsOf(folder));
    });
  });
});
