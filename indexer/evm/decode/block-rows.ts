import type { RawBlock } from "../wire/blocks.ts";
import { bytes, isAbsent, quantity } from "../wire/values.ts";
import { bigintValue, optionalQuantity } from "./row-values.ts";
import type { BlockColumns } from "./shared-columns.ts";
import type { Row } from "./tables.ts";
import { gasPriceOf } from "./transaction-row.ts";

/** The row of `evm_blocks`. */
export function blockRow(
  columns: BlockColumns,
  { block, receipts }: RawBlock,
  cumulativeTransactions: number,
): Row<"evm_blocks"> {
  const feesSpent = receipts.reduce(
    (sum, receipt, i) =>
      sum +
      BigInt(bigintValue(receipt.gasUsed, "gasUsed of a receipt")) * BigInt(gasPriceOf(receipt, block.transactions[i])),
    0n,
  );
  return {
    block_number: columns.number,
    block_hash: columns.hash,
    parent_hash: bytes(block.parentHash, "parentHash", 32),
    block_timestamp: columns.timestamp,
    block_timestamp_milliseconds: isAbsent(block.timestampMilliseconds)
      ? null
      : bigintValue(block.timestampMilliseconds, "timestampMilliseconds"),
    block_min_delay_excess: optionalQuantity(block.minDelayExcess, "minDelayExcess", 64),
    tx_count: block.transactions.length,
    // Before Apricot Phase 3 a block has no base fee, and before Apricot Phase 4 no block gas cost.
    base_fee: quantity(block.baseFeePerGas ?? "0x0", "baseFeePerGas"),
    gas_used: bigintValue(block.gasUsed, "gasUsed"),
    gas_limit: quantity(block.gasLimit, "gasLimit", 64),
    gas_cost: quantity(block.blockGasCost ?? "0x0", "blockGasCost"),
    fees_spent: feesSpent,
    cumulative_transactions: cumulativeTransactions,
    state_root: bytes(block.stateRoot, "stateRoot", 32),
    receipts_root: bytes(block.receiptsRoot, "receiptsRoot", 32),
    miner: bytes(block.miner, "miner", 20),
    size_bytes: quantity(block.size, "size", 31),
  };
}

/** The row of `evm_ext_data` for a block with atomic transactions of the C-Chain; no row for other blocks. */
export function extDataRows({ number, hash, timestamp }: BlockColumns, { block }: RawBlock): Row<"evm_ext_data">[] {
  const data = bytes(block.blockExtraData ?? "0x", "blockExtraData");
  return data === "" ? [] : [{ block_number: number, block_hash: hash, block_timestamp: timestamp, ext_data: data }];
}
