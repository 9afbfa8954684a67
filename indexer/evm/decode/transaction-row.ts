import type { Optional, RawBlock, WireReceipt, WireTransaction } from "../wire/blocks.ts";
import { bytes, isAbsent, quantity } from "../wire/values.ts";
import { bigintValue, optionalAddress, optionalQuantity } from "./row-values.ts";
import type { BlockColumns } from "./shared-columns.ts";
import type { Row } from "./tables.ts";

/** Members of a transaction that nothing but its row has. */
interface TransactionValues extends WireTransaction {
  readonly type?: Optional;
  readonly nonce: string;
  readonly gas: string;
  readonly maxFeePerGas?: Optional;
  readonly maxPriorityFeePerGas?: Optional;
  readonly input: string;
}

/** The row of `evm_transactions` of the transaction at `index`. */
export function transactionRow(
  columns: BlockColumns,
  { block, receipts }: RawBlock,
  index: number,
): Row<"evm_transactions"> {
  const transaction = block.transactions[index] as TransactionValues;
  const receipt = receipts[index] as WireReceipt;
  return {
    block_number: columns.number,
    block_index: index,
    tx_hash: bytes(transaction.hash, "hash of a transaction", 32),
    block_hash: columns.hash,
    block_timestamp: columns.timestamp,
    from_address: bytes(transaction.from, "from", 20),
    to_address: optionalAddress(transaction.to, "to"),
    // Nodes from before typed transactions (EIP-2718) leave it out.
    tx_type: quantity(transaction.type ?? "0x0", "type", 31),
    tx_status: quantity(receipt.status, "status of a receipt", 1),
    nonce: quantity(transaction.nonce, "nonce", 64),
    value: quantity(transaction.value, "value"),
    gas_limit: quantity(transaction.gas, "gas", 64),
    gas_used: bigintValue(receipt.gasUsed, "gasUsed of a receipt"),
    cumulative_gas_used: bigintValue(receipt.cumulativeGasUsed, "cumulativeGasUsed"),
    gas_price: gasPriceOf(receipt, transaction),
    max_fee_per_gas: optionalQuantity(transaction.maxFeePerGas, "maxFeePerGas", 256),
    max_priority_fee_per_gas: optionalQuantity(transaction.maxPriorityFeePerGas, "maxPriorityFeePerGas", 256),
    input: bytes(transaction.input, "input"),
    contract_address: createdContract(transaction, receipt),
    log_count: receipt.logs.length,
  };
}

/** Hex without `0x` of the contract that a transaction itself creates, also if it failed; null for a call. */
export function createdContract({ to }: WireTransaction, { contractAddress }: WireReceipt): string | null {
  return isAbsent(to) ? optionalAddress(contractAddress, "contractAddress") : null;
}

/** Wei per unit of gas. Old nodes leave it out of the receipt. At most 256 bits. */
export function gasPriceOf(receipt: WireReceipt, transaction: WireTransaction | undefined): number | bigint {
  return quantity(receipt.effectiveGasPrice ?? transaction?.gasPrice, "effectiveGasPrice");
}
