import type { RawBlock, WireReceipt, WireTransaction } from "../wire/blocks.ts";
import { bytes, isAbsent, quantity } from "../wire/values.ts";
import type { Row } from "./columns.ts";
import { bigintValue, optionalAddress, optionalQuantity } from "./row-values.ts";
import type { BlockColumns } from "./shared-columns.ts";

/** The row of `evm_transactions` of the transaction at `index`. */
export function transactionRow(columns: BlockColumns, { block, receipts }: RawBlock, index: number): Row {
  const transaction = block.transactions[index] as WireTransaction;
  const receipt = receipts[index] as WireReceipt;
  const to = optionalAddress(transaction.to, "to");
  return [
    columns.chainId,
    columns.number,
    index,
    bytes(transaction.hash, "hash of a transaction", 32),
    columns.hash,
    columns.timestamp,
    bytes(transaction.from, "from", 20),
    to,
    // Nodes from before typed transactions (EIP-2718) leave it out.
    quantity(transaction.type ?? "0x0", "type", 31),
    quantity(receipt.status, "status of a receipt", 1),
    quantity(transaction.nonce, "nonce", 64),
    quantity(transaction.value, "value"),
    quantity(transaction.gas, "gas", 64),
    bigintValue(receipt.gasUsed, "gasUsed of a receipt"),
    bigintValue(receipt.cumulativeGasUsed, "cumulativeGasUsed"),
    gasPriceOf(receipt, transaction),
    optionalQuantity(transaction.maxFeePerGas, "maxFeePerGas", 256),
    optionalQuantity(transaction.maxPriorityFeePerGas, "maxPriorityFeePerGas", 256),
    bytes(transaction.input, "input"),
    createdContract(transaction, receipt),
    receipt.logs.length,
  ];
}

/** Hex without `0x` of the contract that a transaction itself creates, also if it failed; null for a call. */
export function createdContract({ to }: WireTransaction, { contractAddress }: WireReceipt): string | null {
  return isAbsent(to) ? optionalAddress(contractAddress, "contractAddress") : null;
}

/** Wei per unit of gas. Old nodes leave it out of the receipt. At most 256 bits. */
export function gasPriceOf(receipt: WireReceipt, transaction: WireTransaction | undefined): number | bigint {
  return quantity(receipt.effectiveGasPrice ?? transaction?.gasPrice, "effectiveGasPrice");
}
