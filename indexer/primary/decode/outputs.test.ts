import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAddress } from "../../../core/formats/bech32.ts";
import { decodePBlock } from "../../../core/formats/codec/blocks/p-blocks.ts";
import { utxoId } from "../../../core/formats/codec/bytes/hashes.ts";
import {
  type AtomicTransaction,
  decodeAtomicTransactions,
} from "../../../core/formats/codec/transactions/atomic-transactions.ts";
import type { PTransaction } from "../../../core/formats/codec/transactions/p-transactions.ts";
import { type XTransaction } from "../../../core/formats/codec/transactions/x-transactions.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { decodeXTransaction } from "../../../test/support/codec/decode-transactions.ts";
import { describeRecordings, pairsOf, resultsIn, snapshotsOf } from "../../../test/support/recorded/primary-vectors.ts";
import { parseCheckedHex, parseHex } from "../fetch/checked-hex.ts";
import { decodePGenesis } from "../network/p-genesis.ts";
import { decodeUtxo, type EmittedOutput, emittedOutputs, type Output } from "./outputs.ts";

type Transaction = PTransaction | XTransaction | AtomicTransaction;
type Held = Pick<EmittedOutput, "assetId" | "output">;
type Outputs = ReadonlyMap<string, Held>;
interface Spent {
  readonly txId: string;
  readonly outputIndex: number;
}
type Spending = Spent & { readonly assetId: string; readonly amount: bigint };

/** Every transaction of a network by chain, in the order of the chain. */
interface Network {
  readonly P: readonly PTransaction[];
  readonly X: readonly XTransaction[];
  readonly C: readonly AtomicTransaction[];
}

const METHODS = { P: "platform.getUTXOs", X: "avm.getUTXOs", C: "avax.getUTXOs" } as const;
const SHARED = (["P", "X", "C"] as const).flatMap((chain) =>
  (["P", "X", "C"] as const).filter((other) => other !== chain).map((other) => [other, chain] as const),
);

describeRecordings("the outputs", (folder) => {
  let network: Network;
  beforeAll(() => {
    network = networkOf(folder);
  });

  it("of the X-Chain that are unspent equal the node's UTXOs of every account", () => {
    const { X } = network;
    const left = without(emitted(X, ["plain"]), X.flatMap(spent));
    const node = unspent(folder, "X");
    expect(node.size).toBeGreaterThan(100);
    expect(ofAccounts(left, folder)).toEqual(node);
  });

  it.each(SHARED)("exported from %s to %s and not imported equal the node's UTXOs in atomic memory", (from, to) => {
    const ids = chainIds(folder);
    const exports = network[from].filter(
      (one) => "destinationChain" in one && formatId(one.destinationChain) === ids[to],
    );
    const left = without(emitted(exports, ["exported"]), network[to].flatMap(imported));
    expect(ofAccounts(left, folder)).toEqual(unspent(folder, to, from));
  });

  it("of the P-Chain have the asset and amount of the inputs that consume them", () => {
    const known = knownOnP(folder, network.P);
    const spendings = network.P.flatMap((one) => ("inputs" in one ? one.inputs.map(spendingOf) : []));
    const refunds = refundsOf(network.P);
    const spendingRefunds = spendings.filter((one) => refunds.has(utxoId(one.txId, one.outputIndex)));
    for (const spending of spendings.filter((one) => !spendingRefunds.includes(one))) {
      const { assetId, output } = known.get(utxoId(spending.txId, spending.outputIndex)) as Held;
      expect({ assetId, amount: amountOf(output) }).toEqual({ assetId: spending.assetId, amount: spending.amount });
    }
    expect(spendings.length - spendingRefunds.length).toBeGreaterThan(100);
  });

  it("of the P-Chain include the node's UTXOs of every account: outputs, stakes, rewards or refunds", () => {
    const known = knownOnP(folder, network.P);
    const refunds = refundsOf(network.P);
    const node = [...unspent(folder, "P")].filter(([id]) => !refunds.has(id));
    expect(node.length).toBeGreaterThan(100);
    expect(node.map(([id]) => [id, known.get(id)])).toEqual(node);
  });

  it("have the UTXO ids of the node's pages", () => {
    const pages = resultsIn(folder, lastSnapshot(folder), METHODS.P).map(
      ({ text }) => JSON.parse(text) as { utxos: string[]; endIndex: { utxo: string } },
    );
    const full = pages.filter(({ utxos }) => utxos.length > 0);
    expect(full.map(({ utxos }) => formatId(decode(utxos.at(-1) as string).utxoId))).toEqual(
      full.map(({ endIndex }) => endIndex.utxo),
    );
  });
});

const decode = (text: string) => decodeUtxo(parseCheckedHex(text, "UTXO"));
/** The last snapshot, taken after the last block of every chain. */
const lastSnapshot = (folder: string): string => snapshotsOf(folder).at(-1) as string;

function networkOf(folder: string): Network {
  const blocks = pairsOf(folder, "p-blocks", "platform.getBlockByHeight", "block");
  const atomic = new Map(
    resultsIn(folder, "c-blocks", "eth_getBlockByNumber").map(({ text }) => {
      const { hash, blockExtraData } = JSON.parse(text) as { hash: string; blockExtraData: string };
      return [hash, decodeAtomicTransactions(parseHex(blockExtraData, "extra data"))];
    }),
  );
  return {
    P: blocks.flatMap(({ bytes }) => decodePBlock(bytes).transactions),
    X: pairsOf(folder, "x-txs", "avm.getTx", "tx").map(({ bytes }) => decodeXTransaction(bytes)),
    C: [...atomic.values()].flat(),
  };
}

function chainIds(folder: string): Readonly<Record<string, string>> {
  const { chains } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  return Object.fromEntries(
    chains.map(({ alias, blockchainId }: { alias: string; blockchainId: string }) => [alias, blockchainId]),
  );
}

/** The node's UTXOs of its accounts, on a chain or in its atomic memory. */
function unspent(folder: string, chain: keyof typeof METHODS, sourceChain?: string): Outputs {
  const answers = resultsIn(folder, lastSnapshot(folder), METHODS[chain]);
  const asked = answers.filter(({ params }) => params["sourceChain"] === sourceChain);
  const utxos = asked.flatMap(({ text }) => (JSON.parse(text) as { utxos: string[] }).utxos.map(decode));
  return new Map(utxos.map(({ utxoId: id, assetId, output }) => [id, { assetId, output }]));
}

function emitted(transactions: readonly Transaction[], roles: readonly EmittedOutput["role"][]): Outputs {
  const entries = transactions.flatMap((transaction) =>
    emittedOutputs(transaction)
      .filter(({ role }) => roles.includes(role))
      .map(({ outputIndex, assetId, output }) => [utxoId(transaction.id, outputIndex), { assetId, output }] as const),
  );
  return new Map(entries);
}

function spent(transaction: Transaction): readonly Spent[] {
  const operated = "operations" in transaction ? transaction.operations.flatMap(({ inputIds }) => inputIds) : [];
  return [...("inputs" in transaction ? transaction.inputs : []), ...operated];
}

function imported(transaction: Transaction): readonly Spent[] {
  return "importedInputs" in transaction ? transaction.importedInputs : [];
}

function without(outputs: Outputs, gone: readonly Spent[]): Outputs {
  const ids = new Set(gone.map(({ txId, outputIndex }) => utxoId(txId, outputIndex)));
  return new Map([...outputs].filter(([id]) => !ids.has(id)));
}

/** The outputs of accounts whose UTXOs were requested from the node. */
function ofAccounts(outputs: Outputs, folder: string): Outputs {
  const asked = resultsIn(folder, lastSnapshot(folder), METHODS.X).flatMap(
    ({ params }) => params["addresses"] as string[],
  );
  const accounts = new Set(asked.map((text) => parseAddress(text)?.address));
  return new Map([...outputs].filter(([, { output }]) => addressesOf(output).some((one) => accounts.has(one))));
}

const addressesOf = (output: Output): readonly string[] =>
  output.type === "stakeable.LockOut" ? output.output.addresses : output.addresses;

/** Outputs that P-Chain transactions can spend, except refunds: of the genesis, of transactions, rewards. */
function knownOnP(folder: string, transactions: readonly PTransaction[]): Outputs {
  const { platformGenesisBytes } = JSON.parse(readFileSync(join(folder, "genesis-bytes.json"), "utf8"));
  const { utxos, validators } = decodePGenesis(parseHex(platformGenesisBytes, "genesis"));
  const rewards = ["p-txs", "p-genesis-txs"].flatMap((file) =>
    resultsIn(folder, file, "platform.getRewardUTXOs").flatMap(({ text }) => JSON.parse(text).utxos.map(decode)),
  );
  const held = [...utxos, ...rewards].map(
    ({ txId, outputIndex, assetId, output }) => [utxoId(txId, outputIndex), { assetId, output }] as const,
  );
  return new Map([...held, ...emitted([...validators, ...transactions], ["plain", "stake"])]);
}

/** Ids of refunds of an L1 validator's balance: the output after those of the transaction that ends it. */
function refundsOf(transactions: readonly PTransaction[]): ReadonlySet<string> {
  const ending = transactions.filter(
    ({ txType }) => txType === "SetL1ValidatorWeightTx" || txType === "DisableL1ValidatorTx",
  );
  return new Set(ending.map((transaction) => utxoId(transaction.id, emittedOutputs(transaction).length)));
}

type PInput = Extract<PTransaction, { inputs: unknown }>["inputs"][number];

function spendingOf({ txId, outputIndex, assetId, input }: PInput): Spending {
  const { amount } = input.type === "stakeable.LockIn" ? input.input : input;
  return { txId, outputIndex, assetId, amount };
}

function amountOf(output: Output): bigint | null {
  if (output.type === "stakeable.LockOut") return output.output.amount;
  return output.type === "secp256k1fx.TransferOutput" ? output.amount : null;
}
