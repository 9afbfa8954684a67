import { decodeXTransaction } from "../../../test/support/codec/decode-transactions.ts";
import { encodeUtxo, formatCheckedHex } from "../../../test/support/codec/encode-utxo.ts";
import { describeRecordings, pairsOf, utxoTextsOf } from "../../../test/support/recorded/primary-vectors.ts";
import { parseCheckedHex } from "../fetch/checked-hex.ts";
import { decodeUtxo, emittedOutputs, type Output } from "./outputs.ts";

describeRecordings("the outputs", (folder) => {
  it("E8 of the node's answers are encoded to the node's bytes", () => {
    const texts = utxoTextsOf(folder);
    const types = new Set<string>();
    for (const text of texts) {
      const utxo = decodeUtxo(parseCheckedHex(text, "UTXO"));
      types.add(utxo.output.type);
      expect(formatCheckedHex(encodeUtxo(utxo))).toBe(text);
    }
    expect([...types]).toEqual(
      expect.arrayContaining([
        "nftfx.TransferOutput",
        "propertyfx.MintOutput",
        "propertyfx.OwnedOutput",
        "secp256k1fx.MintOutput",
        "secp256k1fx.TransferOutput",
        "stakeable.LockOut",
      ]),
    );
  });

  it("with initial holdings of assets are encoded as in their transactions", () => {
    const types = new Set<string>();
    for (const { bytes } of pairsOf(folder, "x-txs", "avm.getTx", "tx")) {
      const tx = decodeXTransaction(bytes);
      if (tx.txType !== "CreateAssetTx") continue;
      for (const { output } of emittedOutputs(tx)) {
        const written = encodeUtxo({ txId: tx.id, outputIndex: 0, assetId: tx.id, output }).subarray(BEFORE_OUTPUT);
        types.add(output.type);
        expect(Buffer.from(bytes).includes(Buffer.from(written))).toBe(true);
      }
    }
    expect([...types]).toEqual(expect.arrayContaining(["nftfx.MintOutput", "propertyfx.MintOutput"]));
  });
});

/** Codec version, transaction, output index, asset. */
const BEFORE_OUTPUT = 2 + 32 + 4 + 32;

describe("an encoded output", () => {
  const owners = { locktime: 2n ** 64n - 1n, threshold: 2 ** 32 - 1, addresses: ["11".repeat(20), "22".repeat(20)] };
  const transfer = { type: "secp256k1fx.TransferOutput", amount: 2n ** 63n, ...owners } as const;
  const largest: readonly Output[] = [
    transfer,
    { type: "stakeable.LockOut", locktime: 2n ** 64n - 1n, output: transfer },
    { type: "nftfx.MintOutput", groupId: 2 ** 31, ...owners },
    { type: "nftfx.TransferOutput", groupId: 2 ** 32 - 1, payload: "ff".repeat(1_024), ...owners },
    { type: "nftfx.TransferOutput", groupId: 0, payload: "", locktime: 0n, threshold: 0, addresses: [] },
  ];

  it.each(largest)("decodes to the same, for any numbers: $type", (output) => {
    const utxo = { txId: "33".repeat(32), outputIndex: 2 ** 32 - 1, assetId: "44".repeat(32), output };
    expect(decodeUtxo(encodeUtxo(utxo))).toMatchObject(utxo);
  });
});
