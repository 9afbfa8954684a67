import { createHash } from "node:crypto";
import { TRANSFER_TOPIC } from "../../../indexer/evm/decode/event-topics.ts";
import type { WireLog } from "../../../indexer/evm/wire/blocks.ts";
import { bloomOf } from "../../../indexer/evm/wire/bloom.ts";

export const TRANSACTIONS = 20;
/** Internal transactions of a block: payments within its transactions, and the creation of one contract. */
export const INTERNALS = TRANSACTIONS / 2 + 1;
export const DEPLOYMENTS = 1;

/** Number of different sets of senders and recipients. The bloom filter of each set is computed once. */
const WAYS = 64;
const GAS = 52_000;

/** JSON text of a block with transactions, of its receipts, its call trees, and its logs without brackets, as a node returns them. */
export interface BlockText {
  readonly block: string;
  readonly receipts: string;
  readonly traces: string;
  readonly logs: string;
}

const hex = (number: number): string => `0x${number.toString(16)}`;
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const addressOf = (name: string): string => `0x${digest(name).slice(0, 40)}`;
const word = (digits: string): string => `0x${digits.padStart(64, "0")}`;

const TOKEN = addressOf("token");
const LOGIC = addressOf("logic");
/** Code of a small contract. */
const CODE = `0x${digest("code").repeat(32)}`;

/**
 * Block `number` of the chain `chainId`. Every transaction is an ERC-20 transfer through a proxy, every second one also makes
 * an internal payment, and the first one of a block creates a contract. Hashes and signatures have the right form only.
 */
export function blockText(chainId: number, number: number): BlockText {
  const blockHash = blockHashOf(number);
  const way = WAYS_OF_LOGS[number % WAYS] as Way;
  const transactions = way.transfers.map((transfer, index) => ({
    ...transactionOf(number, blockHash, transfer, index),
    chainId: hex(chainId),
  }));
  const receipts = transactions.map((transaction, index) =>
    receiptOf(transaction, way.transfers[index] as Transfer, index),
  );
  return {
    block: JSON.stringify({ ...headerOf(number, blockHash), logsBloom: way.bloom, transactions, uncles: [] }),
    receipts: JSON.stringify(receipts),
    traces: JSON.stringify(transactions.map(traceOf)),
    logs: receipts.flatMap(({ logs }) => logs.map((log) => JSON.stringify(log))).join(","),
  };
}

/** Block `number` without transactions. */
export function emptyBlockText(number: number): BlockText {
  const header = { ...headerOf(number, blockHashOf(number)), gasUsed: "0x0", logsBloom: `0x${"0".repeat(512)}` };
  return { block: JSON.stringify({ ...header, transactions: [], uncles: [] }), receipts: "[]", traces: "[]", logs: "" };
}

/** Hash of a block; of the parent of the first block for -1. */
export const blockHashOf = (number: number): string => (number < 0 ? word("0") : `0x${digest(`block ${number}`)}`);

function headerOf(number: number, hash: string) {
  return {
    baseFeePerGas: "0x5d21dba00",
    blockGasCost: "0x0",
    difficulty: "0x1",
    extraData: "0x",
    gasLimit: "0xe4e1c0",
    gasUsed: hex(GAS * TRANSACTIONS),
    hash,
    miner: "0x0100000000000000000000000000000000000000",
    mixHash: word("0"),
    nonce: "0x0000000000000000",
    number: hex(number),
    parentHash: blockHashOf(number - 1),
    receiptsRoot: `0x${digest(`receipts ${number}`)}`,
    sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    size: "0x1388",
    stateRoot: `0x${digest(`state ${number}`)}`,
    timestamp: hex(1_800_000_000 + 2 * number),
    transactionsRoot: `0x${digest(`transactions ${number}`)}`,
  };
}

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  /** Bloom filter of a receipt that has only this log. */
  readonly bloom: string;
}

interface Way {
  readonly transfers: readonly Transfer[];
  readonly bloom: string;
}

type LogContent = Pick<WireLog, "address" | "topics" | "data">;

const logOf = ({ from, to, value }: Omit<Transfer, "bloom">): LogContent => ({
  address: TOKEN,
  topics: [`0x${TRANSFER_TOPIC}`, word(from.slice(2)), word(to.slice(2))],
  data: value,
});

const bloomOfContents = (logs: readonly LogContent[]): string => bloomOf(logs as WireLog[]);

const WAYS_OF_LOGS: readonly Way[] = Array.from({ length: WAYS }, (_, way) => {
  const transfers = Array.from({ length: TRANSACTIONS }, (_, index) => {
    const transfer = {
      from: addressOf(`holder ${way * TRANSACTIONS + index}`),
      to: addressOf(`holder ${way * index}`),
      value: word(`${way}${index}000000000000`),
    };
    return { ...transfer, bloom: bloomOfContents([logOf(transfer)]) };
  });
  return { transfers, bloom: bloomOfContents(transfers.map(logOf)) };
});

function transactionOf(number: number, blockHash: string, { from, to, value }: Transfer, index: number) {
  const seed = `${number} ${index}`;
  return {
    blockHash,
    blockNumber: hex(number),
    from,
    gas: "0x11170",
    gasPrice: "0x5d21dba00",
    maxFeePerGas: "0xba43b7400",
    maxPriorityFeePerGas: "0x3b9aca00",
    hash: `0x${digest(`transaction ${seed}`)}`,
    input: `0xa9059cbb${word(to.slice(2)).slice(2)}${value.slice(2)}`,
    nonce: hex(number),
    to: TOKEN,
    transactionIndex: hex(index),
    value: "0x0",
    type: "0x2",
    accessList: [],
    v: "0x1",
    r: `0x${digest(`r ${seed}`)}`,
    s: `0x${digest(`s ${seed}`)}`,
    yParity: "0x1",
  };
}

function receiptOf(transaction: ReturnType<typeof transactionOf>, transfer: Transfer, index: number) {
  const { blockHash, blockNumber, from, hash, to, transactionIndex, type } = transaction;
  const place = { blockNumber, transactionHash: hash, transactionIndex, blockHash };
  return {
    ...place,
    contractAddress: null,
    cumulativeGasUsed: hex(GAS * (index + 1)),
    effectiveGasPrice: "0x5d21dba00",
    from,
    gasUsed: hex(GAS),
    logs: [{ ...logOf(transfer), ...place, logIndex: hex(index), removed: false }],
    logsBloom: transfer.bloom,
    status: "0x1",
    to,
    type,
  };
}

/** The call tree of a transaction, as callTracer returns it. */
function traceOf({ hash, from, to, gas, input, nonce }: ReturnType<typeof transactionOf>, index: number) {
  const frame = (type: string, of: object) => ({
    from: to,
    gas: "0xc350",
    gasUsed: "0x5208",
    input: "0x",
    ...of,
    type,
  });
  const calls = [
    frame("DELEGATECALL", { to: LOGIC, input, output: word("1"), value: "0x0" }),
    frame("STATICCALL", { to: LOGIC, input: `0x70a08231${word(from.slice(2)).slice(2)}`, output: word("f") }),
    ...(index % 2 ? [frame("CALL", { to: from, value: "0x2386f26fc10000" })] : []),
    ...(index === 0
      ? [frame("CREATE2", { to: addressOf(`made ${nonce}`), input: CODE, output: CODE, value: "0x0" })]
      : []),
  ];
  const root = { from, gas, gasUsed: hex(GAS), to, input, output: word("1"), calls, value: "0x0", type: "CALL" };
  return { txHash: hash, result: root };
}
