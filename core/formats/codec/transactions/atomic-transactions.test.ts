import { parseCheckedHex, parseHex } from "../../../../indexer/primary/fetch/checked-hex.ts";
import { decodeAtomicTransaction } from "../../../../test/support/codec/decode-transactions.ts";
import { atomicTransactions as readIndependently } from "../../../../test/support/oracle/atomic-oracle.ts";
import { counted, describeRecordings, factsOf, resultsIn } from "../../../../test/support/recorded/primary-vectors.ts";
import { formatId } from "../../id-text.ts";
import { type AtomicTransaction, decodeAtomicTransactions } from "./atomic-transactions.ts";

interface InBlock {
  readonly number: number;
  readonly extraData: string;
  readonly transactions: readonly AtomicTransaction[];
}

describeRecordings("C-Chain atomic transactions", (folder) => {
  let blocks: InBlock[];
  beforeAll(() => {
    const byNumber = new Map<number, InBlock>();
    for (const { text } of resultsIn(folder, "c-blocks", "eth_getBlockByNumber")) {
      const { number, blockExtraData: extraData } = JSON.parse(text) as { number: string; blockExtraData: string };
      const transactions = decodeAtomicTransactions(parseHex(extraData, "extra data"));
      byNumber.set(Number(number), { number: Number(number), extraData, transactions });
    }
    blocks = [...byNumber.values()];
  });

  it("are in the same blocks as on the node, with the same bytes", () => {
    const asked = resultsIn(folder, "c-atomic", "avax.getAtomicTx").flatMap(({ text, params }) => {
      if (params["encoding"] !== "hex") return [];
      const { tx, blockHeight } = JSON.parse(text) as { tx: string; blockHeight: string };
      return [[params["txID"], Number(blockHeight), decodeAtomicTransaction(parseCheckedHex(tx, "tx"))] as const];
    });
    const found = blocks.flatMap(({ number, transactions }) =>
      transactions.map((transaction) => [formatId(transaction.id), number, transaction] as const),
    );
    const byId = (one: readonly [unknown, ...unknown[]]) => String(one[0]);
    const sorted = <Item extends readonly [unknown, ...unknown[]]>(items: readonly Item[]) =>
      items.toSorted((one, other) => byId(one).localeCompare(byId(other)));
    expect(sorted(found)).toEqual(sorted(asked));
    expect(counted(found.map(([, , { txType }]) => txType))).toEqual(factsOf(folder).counts.evm.c.atomic);
  });

  it("have the amounts that an independent reader of lists finds", () => {
    const lists = blocks.filter(({ extraData }) => isList(extraData, factsOf(folder).networkID));
    expect(lists.length).toBeGreaterThan(10);
    for (const { extraData, transactions } of lists)
      expect(transactions.map(movesOf)).toEqual(
        readIndependently(extraData).map(({ kind, moves }) => ({ kind, moves })),
      );
  });

  it("belong to the network's C-Chain, and import from or export to its other chains", () => {
    const { networkID, chains } = factsOf(folder);
    const idOf = Object.fromEntries(chains.map(({ alias, blockchainId }) => [alias, blockchainId]));
    for (const transaction of blocks.flatMap(({ transactions }) => transactions)) {
      const other = transaction.txType === "ImportTx" ? transaction.sourceChain : transaction.destinationChain;
      expect([transaction.networkId, formatId(transaction.blockchainId)]).toEqual([networkID, idOf["C"]]);
      expect([idOf["P"], idOf["X"]]).toContain(formatId(other));
    }
  });
});

describe("extra data of a C-Chain block", () => {
  it("that is empty contains no transaction", () => {
    expect(decodeAtomicTransactions(new Uint8Array())).toEqual([]);
  });

  it("that is an empty list is refused, because a node writes no data then", () => {
    expect(() => decodeAtomicTransactions(Buffer.from("000000000000", "hex"))).toThrow(
      "C-Chain atomic transactions at byte 2: an empty list in extra data that is not empty; as a single transaction:",
    );
  });

  it("that is neither a list nor a transaction is refused with both reasons", () => {
    expect(() => decodeAtomicTransactions(Buffer.from("000000000001", "hex"))).toThrow(
      "C-Chain atomic transactions at byte 2: 1 elements of at least 84 bytes expected, 0 bytes left; " +
        "as a single transaction: C-Chain atomic transactions, networkId at byte 6: 4 bytes expected, 0 left",
    );
  });
});

/** Since Apricot Phase 5 a count and a type replace the type and network id of a single transaction. */
function isList(extraData: string, networkID: number): boolean {
  return extraData !== "0x" && Number(`0x${extraData.slice(14, 22)}`) !== networkID;
}

function movesOf(transaction: AtomicTransaction) {
  const isImport = transaction.txType === "ImportTx";
  const accounts = isImport ? transaction.evmOutputs : transaction.evmInputs;
  const moves = accounts.map(({ address, amount, assetId }) => ({
    address: `0x${address}`,
    assetId,
    amountNano: isImport ? amount : -amount,
  }));
  return { kind: isImport ? "import" : "export", moves };
}
