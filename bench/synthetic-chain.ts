import { createHash } from "node:crypto";
import { bloomOf } from "../indexer/evm/bloom.ts";
import { TRANSFER_TOPIC } from "../indexer/evm/events.ts";
import type { WireLog } from "../indexer/evm/wire.ts";

export const CHAIN_ID = 990_001;
export const TRANSACTIONS = 20;

/** Blocks differ in whom their transfers are from and to, in as many ways; each way has its bloom. */
const WAYS = 64;
const GAS = 52_000;

/** JSON text of a block with transactions, and of its receipts, as a node has them. */
export interface BlockText {
  readonly block: string;
  readonly receipts: string;
}

const hex = (number: number): string => `0x${number.toString(16)}`;
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const addressOf = (name: string): string => `0x${digest(name).slice(0, 40)}`;
const word = (digits: string): string => `0x${digits.padStart(64, "0")}`;

const TOKEN = addressOf("token");

/** Block `number` of a chain in which every transaction is one ERC-20 transfer. Hashes and signatures look like any. */
export function blockText(number: number): BlockText {
  const blockHash = blockHashOf(number);
  const way = WAYS_OF_LOGS[number % WAYS] as Way;
  const transactions = way.transfers.map((transfer, index) => transactionOf(number, blockHash, transfer, index));
  const receipts = transactions.map((transaction, index) =>
    receiptOf(transaction, way.transfers[index] as Transfer, index),
  );
  return {
    block: JSON.stringify({ ...headerOf(number, blockHash), logsBloom: way.bloom, transactions, uncles: [] }),
    receipts: JSON.stringify(receipts),
  };
}

const blockHashOf = (number: number): string => (number < 0 ? word("0") : `0x${digest(`block ${number}`)}`);

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
  /** Of a receipt with this log alone. */
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
    chainId: hex(CHAIN_ID),
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
