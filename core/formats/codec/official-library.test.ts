import { decodeUtxo } from "../../../indexer/primary/decode/outputs.ts";
import { decodeWarpL1Message } from "../../../indexer/primary/decode/warp.ts";
import { parseCheckedHex } from "../../../indexer/primary/fetch/checked-hex.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import {
  decodeAtomicTransaction,
  decodePTransaction,
  decodeXTransaction,
} from "../../../test/support/codec/decode-transactions.ts";
import {
  loadOfficialLibrary,
  type OfficialLibrary,
  readOfficially,
  readUtxoOfficially,
  readWarpOfficially,
  type Vm,
  valuesOf,
  writeOfficially,
} from "../../../test/support/oracle/official-library.ts";
import { LACKING, makeLacking } from "../../../test/support/oracle/official-transactions.ts";
import {
  atomicTransactionsIn,
  describeAllRecordings,
  describeRecordings,
  describeWhere,
  FLARE,
  FORKS,
  flareContainers,
  flareTransactions,
  forksFixture,
  MAINNET,
  mainnetContainers,
  pairsOf,
  resultsIn,
  utxoTextsOf,
} from "../../../test/support/recorded/primary-vectors.ts";
import { formatId } from "../id-text.ts";
import { decodePBlock } from "./blocks/p-blocks.ts";
import { decodeContainer } from "./blocks/proposer-blocks.ts";
import { sha256 } from "./bytes/hashes.ts";
import { type AtomicTransaction } from "./transactions/atomic-transactions.ts";
import { type PTransaction } from "./transactions/p-transactions.ts";
import { type XTransaction } from "./transactions/x-transactions.ts";

type Transaction = PTransaction | XTransaction | AtomicTransaction;

let library: OfficialLibrary;
beforeAll(async () => {
  library = await loadOfficialLibrary();
});

const DECODE: Readonly<Record<Vm, (bytes: Uint8Array) => Transaction>> = {
  PVM: decodePTransaction,
  AVM: decodeXTransaction,
  EVM: decodeAtomicTransaction,
};

/** The library encodes the same bytes, so it decoded all of them. */
function agree(vm: Vm, bytes: Uint8Array): void {
  const { id, size, bytes: _, credentials, ...unsigned } = DECODE[vm](bytes);
  const theirs = readOfficially(library, vm, bytes);
  const { byteLength } = theirs.unsignedBytes;
  expect(Buffer.from(bytes.subarray(0, byteLength))).toEqual(Buffer.from(theirs.unsignedBytes));
  expect([id, size]).toEqual([sha256(bytes), bytes.byteLength]);
  expect(valuesOf(unsigned)).toEqual(theirs.unsigned);
  expect(credentials.map(asTheLibraryReads)).toEqual(theirs.credentials);
}

/** The library returns credentials of the NFT extension as secp256k1fx. */
function asTheLibraryReads(credential: Transaction["credentials"][number]): unknown {
  return { ...credential, type: credential.type.replace("nftfx", "secp256k1fx") };
}

describeAllRecordings(
  "P-Chain transactions and the official library's decoding",
  (folder) => {
    it("agree in every field", () => {
      const all = ["p-txs", "p-genesis-txs"].flatMap((file) => pairsOf(folder, file, "platform.getTx", "tx"));
      expect(all.length).toBeGreaterThan(75);
      for (const { bytes } of all) agree("PVM", bytes);
    });
  },
  { inShortForm: 2 },
);

describeRecordings(
  "transactions and the official library's decoding",
  (folder) => {
    it("agree in every field on the X-Chain, except for the property extension, which the library lacks", () => {
      const all = pairsOf(folder, "x-txs", "avm.getTx", "tx").map(({ bytes }) => bytes);
      const lacking = all.filter((bytes) => JSON.stringify(valuesOf(decodeXTransaction(bytes))).includes("propertyfx"));
      const known = all.filter((bytes) => !lacking.includes(bytes));
      expect([lacking.length > 1, known.length > 100]).toEqual([true, true]);
      for (const bytes of lacking) expect(() => readOfficially(library, "AVM", bytes)).toThrow("unknown type ID");
      for (const bytes of known) agree("AVM", bytes);
    });

    it("agree in every field on the C-Chain", () => {
      const all = resultsIn(folder, "c-atomic", "avax.getAtomicTx").map(({ text }) => JSON.parse(text).tx as string);
      expect(all.length).toBeGreaterThan(10);
      for (const tx of all) agree("EVM", parseCheckedHex(tx, "tx"));
    });

    it("agree in every field of warp messages", () => {
      const messages = pairsOf(folder, "p-txs", "platform.getTx", "tx")
        .map(({ bytes }) => decodePTransaction(bytes))
        .flatMap((tx) => ("message" in tx ? [tx.message] : []));
      expect(messages.length).toBeGreaterThan(1);
      for (const bytes of messages)
        expect(valuesOf(decodeWarpL1Message(bytes))).toEqual(readWarpOfficially(library, bytes));
    });

    it("agree in every field and id of outputs", () => {
      const all = utxoTextsOf(folder).map((text) => parseCheckedHex(text, "UTXO"));
      const known = all.filter((bytes) => !decodeUtxo(bytes).output.type.startsWith("propertyfx"));
      expect(known.length).toBeGreaterThan(100);
      const ours = known.map((bytes) => {
        const { utxoId, ...utxo } = decodeUtxo(bytes);
        return { utxo: valuesOf(utxo), id: formatId(utxoId) };
      });
      const vmOf = (bytes: Uint8Array) => (decodeUtxo(bytes).output.type === "stakeable.LockOut" ? "PVM" : "AVM");
      expect(ours).toEqual(known.map((bytes) => readUtxoOfficially(library, vmOf(bytes), bytes)));
    });
  },
  { inShortForm: 1 },
);

describeWhere(FLARE, "transactions of 221 blocks of another network", () => {
  it("are decoded as by the official library", () => {
    const all = flareContainers().flatMap(({ bytes }) => transactionsIn(bytes));
    expect(all).toHaveLength(116);
    for (const bytes of all) agree("PVM", bytes);
  });

  it("have the node's ids, which their reward outputs name", () => {
    const given = flareTransactions();
    expect(given.length).toBeGreaterThan(100);
    for (const { id, tx, utxos } of given) {
      const bytes = parseCheckedHex(tx, id);
      agree("PVM", bytes);
      const rewarded = utxos.map((text) => decodeUtxo(parseCheckedHex(text, "UTXO")).txId);
      expect([decodePTransaction(bytes).id, ...rewarded].map(formatId)).toEqual([id, ...utxos.map(() => id)]);
    }
    expect(given.flatMap(({ utxos }) => utxos)).toHaveLength(28);
  });
});

describeWhere(MAINNET, "transactions of mainnet blocks", () => {
  it("are decoded as by the official library", () => {
    const all = mainnetContainers().flatMap(({ bytes }) => transactionsIn(bytes));
    expect(all.length).toBeGreaterThan(10);
    for (const bytes of all) agree("PVM", bytes);
  });
});

describeWhere(FORKS, "atomic transactions of a C-Chain that crosses every fork", () => {
  it("are decoded as by the official library", () => {
    const all = atomicTransactionsIn(forksFixture());
    expect(all).toHaveLength(6);
    for (const { bytes } of all) agree("EVM", bytes);
  });
});

describe("transactions that the official library builds", () => {
  it("are decoded as by the library, for every type that no recording has", () => {
    const noCredentials = Buffer.alloc(4);
    const [key, proof] = recordedKey();
    const built = makeLacking(library, key, proof).map((tx) =>
      Buffer.concat([writeOfficially(library, "PVM", tx), noCredentials]),
    );
    expect(built.map((bytes) => decodePTransaction(bytes).txType)).toEqual(LACKING);
    for (const bytes of built) agree("PVM", bytes);
  });
});

/** A BLS key of a validator and its proof of possession. */
function recordedKey(): [Uint8Array, Uint8Array] {
  for (const { bytes } of pairsOf(ALPHA, "p-txs", "platform.getTx", "tx")) {
    const tx = decodePTransaction(bytes);
    if (tx.txType !== "AddPermissionlessValidatorTx" || tx.signer.type === "signer.Empty") continue;
    return [Buffer.from(tx.signer.publicKey, "hex"), Buffer.from(tx.signer.proofOfPossession, "hex")];
  }
  throw new Error("no validator of the recording has a key");
}

/** Transactions at the end of a block before Banff, the last first, each after a codec version. */
function transactionsIn(container: Uint8Array): Uint8Array[] {
  const { block } = decodeContainer(container);
  const version = Buffer.alloc(2);
  let end = block.byteLength;
  return decodePBlock(block)
    .transactions.toReversed()
    .map(({ size }) => {
      const start = end - (size - version.byteLength);
      const bytes = Buffer.concat([version, block.subarray(start, end)]);
      end = start;
      return bytes;
    });
}
