import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";
import type { WireBlock, WireReceipt } from "../wire/blocks.ts";
import { bytes, isAbsent, object, quantity, requireEqual } from "../wire/values.ts";
import { bytesOfNumber, type RlpValue, rlp, trieRoot } from "./trie-root.ts";

type Json = Readonly<Record<string, unknown>>;

/** How a member of a transaction is encoded. */
type Encode = (value: unknown, what: string) => RlpValue;

const number: Encode = (value, what) => bytesOfNumber(quantity(value, what));
const data: Encode = (value, what) => Buffer.from(bytes(value, what), "hex");
/** The creation of a contract has no recipient. */
const recipient: Encode = (value, what) => (isAbsent(value) ? new Uint8Array() : data(value, what));
const listOf =
  (encode: Encode): Encode =>
  (value, what) => {
    if (!Array.isArray(value)) throw new BadUpstreamData(`${what} is ${quoted(value)}, not a list`);
    return value.map((item: unknown) => encode(item, what));
  };
const members =
  (encodes: Readonly<Record<string, Encode>>): Encode =>
  (value, what) => {
    const json = object(value, what) as Json;
    return Object.entries(encodes).map(([name, encode]) => encode(json[name], `${name} of ${what}`));
  };

const accessList = listOf(members({ address: data, storageKeys: listOf(data) }));
const signature = { v: number, r: number, s: number };
const call = { gas: number, to: recipient, value: number, input: data };
const fees = {
  chainId: number,
  nonce: number,
  maxPriorityFeePerGas: number,
  maxFeePerGas: number,
  ...call,
  accessList,
};
const authorization = members({ chainId: number, address: data, nonce: number, yParity: number, r: number, s: number });

/** The members of transactions by type, in their order. */
const TRANSACTIONS: Readonly<Record<number, Encode>> = {
  0: members({ nonce: number, gasPrice: number, ...call, ...signature }),
  1: members({ chainId: number, nonce: number, gasPrice: number, ...call, accessList, ...signature }),
  2: members({ ...fees, ...signature }),
  3: members({ ...fees, maxFeePerBlobGas: number, blobVersionedHashes: listOf(data), ...signature }),
  4: members({ ...fees, authorizationList: listOf(authorization), ...signature }),
};

const receiptOf = members({
  status: number,
  cumulativeGasUsed: number,
  logsBloom: data,
  logs: listOf(members({ address: data, topics: listOf(data), data })),
});

/**
 * Checks that the header of a block covers its transactions and receipts: computes the roots of both. Senders follow from signatures and are
 * not checked. Since Helicon (ACP-194), the header covers receipts of earlier blocks, so only the transactions are checked. Throws
 * `BadUpstreamData`.
 */
export function verifyRoots(block: WireBlock, receipts: readonly WireReceipt[]): void {
  const where = `block ${Number(block.number)}`;
  const { transactionsRoot } = block as unknown as Json;
  const transactions = block.transactions.map((one, i) => encodedTransaction(one, `transaction ${i} of ${where}`));
  requireEqual(
    `transactionsRoot of ${where}, computed from its transactions,`,
    trieRoot(transactions),
    transactionsRoot,
  );
  if (!isAbsent(block.settledHeight)) return;
  const encoded = receipts.map((one, i) => {
    const what = `receipt ${i} of ${where}`;
    return ofType(typeOf(block.transactions[i], what), receiptOf(one, what));
  });
  requireEqual(`receiptsRoot of ${where}, computed from its receipts,`, trieRoot(encoded), block.receiptsRoot);
}

function encodedTransaction(transaction: unknown, what: string): Uint8Array {
  const type = typeOf(transaction, what);
  const encode = TRANSACTIONS[type];
  if (!encode) throw new BadUpstreamData(`the type of ${what} is ${type}, which this version of Moraine does not know`);
  return ofType(type, encode(transaction, what));
}

/** Early nodes leave the type of a legacy transaction out. */
function typeOf(transaction: unknown, what: string): number {
  const { type } = object(transaction, what) as Json;
  return isAbsent(type) ? 0 : Number(quantity(type, `type of ${what}`, 8));
}

const ofType = (type: number, value: RlpValue): Uint8Array =>
  type === 0 ? rlp(value) : Buffer.concat([Buffer.of(type), rlp(value)]);
