import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { bytes, integer } from "../wire/values.ts";
import type { BalanceChange } from "./balance-changes.ts";
import { blockRow, extDataRows } from "./block-rows.ts";
import { callRows } from "./call-rows.ts";
import type { ChainRules } from "./chain-rules.ts";
import type { NftItem } from "./log-rows.ts";
import { decodeLogs } from "./logs.ts";
import { blockColumns, type Log } from "./shared-columns.ts";
import type { RowsOf, Table } from "./tables.ts";
import { transactionRow } from "./transaction-row.ts";

/** The highest number of a block that fits into the columns of the large tables. */
const MAX_BLOCK = 2 ** 31 - 1;

/** All rows of one block, and the values that are needed to compute the rows of the next block. */
export interface BlockRows {
  readonly chainId: string;
  readonly number: number;
  /** Hex without `0x`. */
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: number | bigint;
  /** Number of transactions from genesis to this block. */
  readonly cumulativeTransactions: number;
  readonly rows: RowsOf<Table>;
  /** Addresses (hex without `0x`) of contracts that emitted an ERC-20 transfer, without duplicates. */
  readonly tokens: readonly string[];
  readonly nftContracts: readonly string[];
  readonly nftItems: readonly NftItem[];
  readonly balances: readonly BalanceChange[];
  /** Whether the block's call trees are known. */
  readonly isTraced: boolean;
}

/**
 * The rows of a verified block: a pure function of the raw block, the chain's rules and `transactionsBefore`, the number of
 * transactions from genesis to its parent. Throws `BadUpstreamData`, which names the block, if a value is malformed or does not
 * fit its column.
 */
export function decodeBlock(rules: ChainRules, raw: RawBlock, transactionsBefore: number): BlockRows {
  const number = integer(raw.block.number, "number of a block");
  try {
    return decode(rules, number, raw, transactionsBefore);
  } catch (error) {
    if (!(error instanceof BadUpstreamData)) throw error;
    throw new BadUpstreamData(`block ${number}: ${error.message}`);
  }
}

function decode(rules: ChainRules, number: number, raw: RawBlock, transactionsBefore: number): BlockRows {
  if (number > MAX_BLOCK) throw new BadUpstreamData(`Moraine can store blocks up to ${MAX_BLOCK}`);
  const { block, traces } = raw;
  const columns = blockColumns(raw);
  const cumulativeTransactions = transactionsBefore + block.transactions.length;
  const { rows, ...fromLogs } = decodeLogs(rules, columns, logsOf(raw));
  return {
    chainId: rules.chainId,
    number,
    hash: columns.hash,
    parentHash: bytes(block.parentHash, "parentHash", 32),
    timestamp: columns.timestamp,
    cumulativeTransactions,
    rows: {
      evm_blocks: [blockRow(columns, raw, cumulativeTransactions)],
      evm_transactions: block.transactions.map((_, index) => transactionRow(columns, raw, index)),
      ...rows,
      ...callRows(columns, raw),
      evm_ext_data: extDataRows(columns, raw),
    },
    ...fromLogs,
    isTraced: traces !== null,
  };
}

function logsOf({ block, receipts }: RawBlock): Log[] {
  return receipts.flatMap(({ logs }, index) => {
    if (logs.length === 0) return [];
    const transaction = { index, hash: bytes(block.transactions[index]?.hash, "hash of a transaction", 32) };
    return logs.map((log) => ({
      index: integer(log.logIndex, "logIndex"),
      transaction,
      address: bytes(log.address, "address of a log", 20),
      topics: log.topics.map((topic) => bytes(topic, "topic", 32)),
      data: bytes(log.data, "data of a log"),
    }));
  });
}
