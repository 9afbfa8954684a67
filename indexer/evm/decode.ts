import { BadUpstreamData } from "../errors.ts";
import {
  bytes,
  integer,
  quantity,
  type RawBlock,
  type WireLog,
  type WireReceipt,
  type WireTransaction,
} from "./wire.ts";

/** keccak256("Transfer(address,address,uint256)"), shared by ERC-20 and ERC-721. */
export const TRANSFER_TOPIC = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const MAX_BIGINT = (1n << 63n) - 1n;
const MAX_DIGITS = String(MAX_BIGINT).length;

/** Columns of the rows that a block becomes, in the order in which `decodeBlock` gives their values. */
export const COLUMNS = {
  evm_blocks: [
    "chain_id",
    "block_number",
    "block_hash",
    "parent_hash",
    "block_timestamp",
    "block_timestamp_milliseconds",
    "block_min_delay_excess",
    "tx_count",
    "base_fee",
    "gas_used",
    "gas_limit",
    "gas_cost",
    "fees_spent",
    "cumulative_transactions",
    "state_root",
    "receipts_root",
    "miner",
    "size_bytes",
  ],
  evm_transactions: [
    "chain_id",
    "block_number",
    "block_index",
    "tx_hash",
    "block_hash",
    "block_timestamp",
    "from_address",
    "to_address",
    "tx_type",
    "tx_status",
    "nonce",
    "value",
    "gas_limit",
    "gas_used",
    "cumulative_gas_used",
    "gas_price",
    "max_fee_per_gas",
    "max_priority_fee_per_gas",
    "input",
    "contract_address",
    "log_count",
  ],
  evm_logs: [
    "chain_id",
    "block_number",
    "log_index",
    "block_index",
    "tx_hash",
    "address",
    "topic0",
    "topic1",
    "topic2",
    "topic3",
    "data",
  ],
  erc20_transfers: [
    "chain_id",
    "block_number",
    "log_index",
    "block_index",
    "block_timestamp",
    "block_hash",
    "tx_hash",
    "from_address",
    "to_address",
    "token_address",
    "value",
  ],
} as const satisfies Record<string, readonly string[]>;

export type Table = keyof typeof COLUMNS;

/** A value of a row: decimal text, `\x` hex of bytes, or null. */
export type Value = string | null;
export type Row = readonly Value[];

/** All rows of one block, and what the next block's rows build on. */
export interface BlockRows {
  readonly number: number;
  /** Hex without `0x`. */
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly cumulativeTransactions: number;
  readonly rows: Readonly<Record<Table, readonly Row[]>>;
  /** Addresses (hex without `0x`) of contracts that emitted an ERC-20 transfer, each once. */
  readonly tokens: readonly string[];
}

const pgBytes = (hex: string): string => `\\x${hex}`;

/**
 * The rows of a verified block. A pure function of the raw block and of `transactionsBefore`, the number of transactions
 * from genesis to its parent. Throws `BadUpstreamData` for a value that cannot be, naming the block.
 */
export function decodeBlock(chainId: string, raw: RawBlock, transactionsBefore: number): BlockRows {
  const number = integer(raw.block.number, "block number");
  try {
    return decode(chainId, number, raw, transactionsBefore);
  } catch (error) {
    if (!(error instanceof BadUpstreamData)) throw error;
    throw new BadUpstreamData(`block ${number}: ${error.message}`);
  }
}

function decode(chainId: string, number: number, raw: RawBlock, transactionsBefore: number): BlockRows {
  const { block, receipts } = raw;
  const hash = bytes(block.hash, "block hash", 32);
  const at = {
    chainId,
    number: String(number),
    hash: pgBytes(hash),
    timestamp: stored(block.timestamp, "timestamp"),
  };
  const cumulativeTransactions = transactionsBefore + block.transactions.length;
  const transfers = receipts.flatMap((receipt) => receipt.logs).filter(isErc20Transfer);
  return {
    number,
    hash,
    parentHash: bytes(block.parentHash, "parent hash", 32),
    timestamp: at.timestamp,
    cumulativeTransactions,
    rows: {
      evm_blocks: [blockRow(at, raw, cumulativeTransactions)],
      evm_transactions: block.transactions.map((transaction, i) =>
        transactionRow(at, transaction, receipts[i] as WireReceipt),
      ),
      evm_logs: receipts.flatMap((receipt) => receipt.logs.map((log) => logRow(at, log))),
      erc20_transfers: transfers.map((log) => transferRow(at, log)),
    },
    tokens: [...new Set(transfers.map((log) => bytes(log.address, "log address", 20)))],
  };
}

interface At {
  readonly chainId: string;
  readonly number: string;
  /** As a row has it. */
  readonly hash: string;
  readonly timestamp: string;
}

/** A quantity that goes into a BIGINT column. */
function stored(value: unknown, what: string): string {
  const text = quantity(value, what, 64);
  if (text.length >= MAX_DIGITS && BigInt(text) > MAX_BIGINT)
    throw new BadUpstreamData(`${what} is ${text}, more than 63 bits`);
  return text;
}

function optional(value: unknown, what: string, bits: number): Value {
  return value === undefined || value === null ? null : quantity(value, what, bits);
}

function blockRow(at: At, { block, receipts }: RawBlock, cumulativeTransactions: number): Row {
  const feesSpent = receipts.reduce(
    (sum, receipt, i) =>
      sum + BigInt(stored(receipt.gasUsed, "gasUsed of a receipt")) * BigInt(priceOf(receipt, block.transactions[i])),
    0n,
  );
  return [
    at.chainId,
    at.number,
    at.hash,
    pgBytes(bytes(block.parentHash, "parent hash", 32)),
    at.timestamp,
    block.timestampMilliseconds === undefined ? null : stored(block.timestampMilliseconds, "timestampMilliseconds"),
    optional(block.minDelayExcess, "minDelayExcess", 64),
    String(block.transactions.length),
    quantity(block.baseFeePerGas ?? "0x0", "baseFeePerGas"),
    stored(block.gasUsed, "gasUsed"),
    quantity(block.gasLimit, "gasLimit", 64),
    quantity(block.blockGasCost ?? "0x0", "blockGasCost"),
    feesSpent.toString(),
    String(cumulativeTransactions),
    pgBytes(bytes(block.stateRoot, "stateRoot", 32)),
    pgBytes(bytes(block.receiptsRoot, "receiptsRoot", 32)),
    pgBytes(bytes(block.miner, "miner", 20)),
    quantity(block.size, "size", 31),
  ];
}

/** What a unit of gas cost: old nodes do not say it in the receipt. With more bits the fees would not fit their column. */
function priceOf(receipt: WireReceipt, transaction: WireTransaction | undefined): string {
  return quantity(receipt.effectiveGasPrice ?? transaction?.gasPrice ?? "0x0", "effectiveGasPrice", 128);
}

/** No closure of its one user: a row would make a new one. */
function optionalAddress(value: string | null | undefined, what: string): Value {
  return value ? pgBytes(bytes(value, what, 20)) : null;
}

function transactionRow(at: At, transaction: WireTransaction, receipt: WireReceipt): Row {
  return [
    at.chainId,
    at.number,
    String(integer(transaction.transactionIndex, "transactionIndex")),
    pgBytes(bytes(transaction.hash, "transaction hash", 32)),
    at.hash,
    at.timestamp,
    pgBytes(bytes(transaction.from, "from", 20)),
    optionalAddress(transaction.to, "to"),
    quantity(transaction.type ?? "0x0", "type", 31),
    // Before Byzantium a receipt has no status; no Avalanche chain is that old.
    quantity(receipt.status ?? "0x1", "status", 1),
    quantity(transaction.nonce, "nonce", 64),
    quantity(transaction.value, "value"),
    quantity(transaction.gas, "gas", 64),
    stored(receipt.gasUsed, "gasUsed of a receipt"),
    stored(receipt.cumulativeGasUsed, "cumulativeGasUsed"),
    priceOf(receipt, transaction),
    optional(transaction.maxFeePerGas, "maxFeePerGas", 256),
    optional(transaction.maxPriorityFeePerGas, "maxPriorityFeePerGas", 256),
    pgBytes(bytes(transaction.input, "input")),
    optionalAddress(receipt.contractAddress, "contractAddress"),
    String(receipt.logs.length),
  ];
}

function topicOf({ topics }: WireLog, index: number): Value {
  return index < topics.length ? pgBytes(bytes(topics[index], "topic", 32)) : null;
}

function logRow(at: At, log: WireLog): Row {
  if (log.topics.length > 4) throw new BadUpstreamData(`a log has ${log.topics.length} topics`);
  return [
    at.chainId,
    at.number,
    String(integer(log.logIndex, "logIndex")),
    String(integer(log.transactionIndex, "transactionIndex of a log")),
    pgBytes(bytes(log.transactionHash, "transactionHash of a log", 32)),
    pgBytes(bytes(log.address, "log address", 20)),
    topicOf(log, 0),
    topicOf(log, 1),
    topicOf(log, 2),
    topicOf(log, 3),
    pgBytes(bytes(log.data, "log data")),
  ];
}

/** ERC-20's Transfer: exactly three topics and one word of data. With four topics it is ERC-721's, else no transfer at all. */
function isErc20Transfer(log: WireLog): boolean {
  return (
    log.topics.length === 3 && log.topics[0]?.slice(2).toLowerCase() === TRANSFER_TOPIC && log.data.length === 2 + 64
  );
}

/** The upper twelve bytes of an address in a topic mean nothing. */
function topicAddress(topic: string | undefined): string {
  return pgBytes(bytes(topic, "topic", 32).slice(24));
}

function transferRow(at: At, log: WireLog): Row {
  return [
    at.chainId,
    at.number,
    String(integer(log.logIndex, "logIndex")),
    String(integer(log.transactionIndex, "transactionIndex of a log")),
    at.timestamp,
    at.hash,
    pgBytes(bytes(log.transactionHash, "transactionHash of a log", 32)),
    topicAddress(log.topics[1]),
    topicAddress(log.topics[2]),
    pgBytes(bytes(log.address, "log address", 20)),
    quantity(log.data, "value of a transfer"),
  ];
}
