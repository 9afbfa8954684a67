import type { RawBlock } from "../wire/blocks.ts";
import { bytes, isAbsent, quantity } from "../wire/values.ts";
import type { Row } from "./columns.ts";
import { bigintValue, optionalQuantity } from "./row-values.ts";
import type { BlockColumns } from "./shared-columns.ts";
import { gasPriceOf } from "./transaction-row.ts";

/** The row of `evm_blocks`. */
export function blockRow(columns: BlockColumns, { block, receipts }: RawBlock, cumulativeTransactions: number): Row {
  const feesSpent = receipts.reduce(
    (sum, receipt, i) =>
      sum +
      BigInt(bigintValue(receipt.gasUsed, "gasUsed of a receipt")) * BigInt(gasPriceOf(receipt, block.transactions[i])),
    0n,
  );
  return [
    columns.chainId,
    columns.number,
    columns.hash,
    bytes(block.parentHash, "parentHash", 32),
    columns.timestamp,
    isAbsent(block.timestampMilliseconds) ? null : bigintValue(block.timestampMilliseconds, "timestampMilliseconds"),
    optionalQuantity(block.minDelayExcess, "minDelayExcess", 64),
    block.transactions.length,
    // Before Apricot Phase 3 a block has no base fee, and before Apricot Phase 4 no block gas cost.
    quantity(block.baseFeePerGas ?? "0x0", "baseFeePerGas"),
    bigintValue(block.gasUsed, "gasUsed"),
    quantity(block.gasLimit, "gasLimit", 64),
    quantity(block.blockGasCost ?? "0x0", "blockGasCost"),
    feesSpent,
    cumulativeTransactions,
    bytes(block.stateRoot, "stateRoot", 32),
    bytes(block.receiptsRoot, "receiptsRoot", 32),
    bytes(block.miner, "miner", 20),
    quantity(block.size, "size", 31),
  ];
}

/** The row of `evm_ext_data` for a block with atomic transactions of the C-Chain; no row for other blocks. */
export function extDataRows(columns: BlockColumns, { block }: RawBlock): Row[] {
  const data = bytes(block.blockExtraData ?? "0x", "blockExtraData");
  return data === "" ? [] : [[columns.chainId, columns.number, columns.hash, columns.timestamp, data]];
}
