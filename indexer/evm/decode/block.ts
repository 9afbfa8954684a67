import { BadUpstreamData } from "../../../core/errors.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import type { BalanceChange } from "../store/balances.ts";
import {
  bytes,
  integer,
  quantity,
  type RawBlock,
  type WireLog,
  type WireReceipt,
  type WireTransaction,
} from "../wire/blocks.ts";
import type { ChainRules } from "./chain-rules.ts";
import { type Row, type RowsOf, type Table, type Value } from "./columns.ts";
import { decodeLogs, type NftItem } from "./logs.ts";
import { decodeTrace, deploymentRow } from "./traces.ts";

const MAX_BIGINT = (1n << 63n) - 1n;
const MAX_DIGITS = String(MAX_BIGINT).length;

/** All rows of one block, and what the next block's rows build on. */
export interface BlockRows {
  readonly number: number;
  /** Hex without `0x`. */
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly cumulativeTransactions: number;
  readonly rows: RowsOf<Table>;
  /** Addresses (hex without `0x`) of contracts that emitted an ERC-20 transfer, each once. */
  readonly tokens: readonly string[];
  readonly nftContracts: readonly string[];
  readonly nftItems: readonly NftItem[];
  readonly balances: readonly BalanceChange[];
  /** Whether its call trees are known. */
  readonly isTraced: boolean;
}

/** Place and time of a block as its rows have them. */
export interface At {
  readonly chainId: string;
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
}

/** A transaction as the rows below it have it. */
export interface TransactionAt {
  readonly index: string;
  readonly hash: string;
}

/** A log whose parts were looked at: hex without `0x`. */
export interface Log {
  readonly index: string;
  readonly transaction: TransactionAt;
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/**
 * The rows of a verified block. A pure function of the raw block, the chain's rules and `transactionsBefore`, the number of
 * transactions from genesis to its parent. Throws `BadUpstreamData` for a value that cannot be, naming the block.
 */
export function decodeBlock(rules: ChainRules, raw: RawBlock, transactionsBefore: number): BlockRows {
  const number = integer(raw.block.number, "block number");
  try {
    return decode(rules, number, raw, transactionsBefore);
  } catch (error) {
    if (!(error instanceof BadUpstreamData)) throw error;
    throw new BadUpstreamData(`block ${number}: ${error.message}`);
  }
}

function decode(rules: ChainRules, number: number, raw: RawBlock, transactionsBefore: number): BlockRows {
  const { block, receipts, traces } = raw;
  const at = placeOf(rules.chainId, raw);
  const cumulativeTransactions = transactionsBefore + block.transactions.length;
  const { rows, ...ofLogs } = decodeLogs(rules, at, receipts.flatMap(logsOf));
  return {
    number,
    hash: bytes(block.hash, "block hash", 32),
    parentHash: bytes(block.parentHash, "parent hash", 32),
    timestamp: at.timestamp,
    cumulativeTransactions,
    rows: {
      evm_blocks: [blockRow(at, raw, cumulativeTransactions)],
      evm_transactions: block.transactions.map((transaction, i) =>
        transactionRow(at, transaction, receipts[i] as WireReceipt),
      ),
      ...rows,
      ...callRows(at, raw),
      evm_ext_data: extDataRows(at, raw),
    },
    ...ofLogs,
    isTraced: traces !== null,
  };
}

/** What depends on call trees; of a block without them, the contracts that transactions made by themselves. */
export function callRows(
  at: At,
  { block, receipts, traces }: RawBlock,
): RowsOf<"evm_internal_transactions" | "evm_deployments"> {
  const internals: Row[] = [];
  const deployments: Row[] = [];
  block.transactions.forEach((transaction, i) => {
    const place = { index: String(i), hash: pgBytes(bytes(transaction.hash, "transaction hash", 32)) };
    if (traces) {
      const decoded = decodeTrace(at, place, traces[i] ?? []);
      internals.push(...decoded.internals);
      deployments.push(...decoded.deployments);
      return;
    }
    const { contractAddress, status } = receipts[i] as WireReceipt;
    if (!contractAddress || status === "0x0") return;
    const address = bytes(contractAddress, "contractAddress", 20);
    const creator = bytes(transaction.from, "from", 20);
    deployments.push(deploymentRow(at, place, { address, creator, opcode: "CREATE", index: 0 }));
  });
  return { evm_internal_transactions: internals, evm_deployments: deployments };
}

/** Place and time of a block for `callRows`. */
export function placeOf(chainId: string, { block }: RawBlock): At {
  return {
    chainId,
    number: String(integer(block.number, "block number")),
    hash: pgBytes(bytes(block.hash, "block hash", 32)),
    timestamp: stored(block.timestamp, "timestamp"),
  };
}

function logsOf(receipt: WireReceipt): Log[] {
  const [first] = receipt.logs;
  if (!first) return [];
  const transaction = {
    index: String(integer(first.transactionIndex, "transactionIndex of a log")),
    hash: pgBytes(bytes(first.transactionHash, "transactionHash of a log", 32)),
  };
  return receipt.logs.map((log: WireLog) => ({
    index: String(integer(log.logIndex, "logIndex")),
    transaction,
    address: bytes(log.address, "log address", 20),
    topics: log.topics.map((topic) => bytes(topic, "topic", 32)),
    data: bytes(log.data, "log data"),
  }));
}

/** The C-Chain's atomic transactions, which are beside the block's own. */
function extDataRows(at: At, { block }: RawBlock): Row[] {
  const data = bytes(block.blockExtraData ?? "0x", "blockExtraData");
  return data === "" ? [] : [[at.chainId, at.number, at.hash, at.timestamp, pgBytes(data)]];
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
