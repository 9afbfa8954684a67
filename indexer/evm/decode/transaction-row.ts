import type { WireReceipt, WireTransaction } from "../wire/blocks.ts";
import { bytes, integer, quantity } from "../wire/values.ts";
import type { Row } from "./columns.ts";
import { bigintValue, optionalAddress, optionalQuantity } from "./row-values.ts";
import type { BlockColumns } from "./shared-columns.ts";

/** The row of `evm_transactions`. */
export function transactionRow(columns: BlockColumns, transaction: WireTransaction, receipt: WireReceipt): Row {
  return [
    columns.chainId,
    columns.number,
    integer(transaction.transactionIndex, "transactionIndex"),
    bytes(transaction.hash, "transaction hash", 32),
    columns.hash,
    columns.timestamp,
    bytes(transaction.from, "from", 20),
    optionalAddress(transaction.to, "to"),
    quantity(transaction.type ?? "0x0", "type", 31),
    // Receipts have no status before Byzantium, which precedes every Avalanche chain.
    quantity(receipt.status ?? "0x1", "status", 1),
    quantity(transaction.nonce, "nonce", 64),
    quantity(transaction.value, "value"),
    quantity(transaction.gas, "gas", 64),
    bigintValue(receipt.gasUsed, "gasUsed of a receipt"),
    bigintValue(receipt.cumulativeGasUsed, "cumulativeGasUsed"),
    gasPriceOf(receipt, transaction),
    optionalQuantity(transaction.maxFeePerGas, "maxFeePerGas", 256),
    optionalQuantity(transaction.maxPriorityFeePerGas, "maxPriorityFeePerGas", 256),
    bytes(transaction.input, "input"),
    optionalAddress(receipt.contractAddress, "contractAddress"),
    receipt.logs.length,
  ];
}

/** Wei per unit of gas. Old nodes leave it out of the receipt. At most 128 bits, so that a block's fees fit their column. */
export function gasPriceOf(receipt: WireReceipt, transaction: WireTransaction | undefined): number | bigint {
  return quantity(receipt.effectiveGasPrice ?? transaction?.gasPrice ?? "0x0", "effectiveGasPrice", 128);
}
