import { minimalProxyTarget } from "../../../core/formats/minimal-proxy.ts";
import { type RawBlock, type WireReceipt } from "../wire/blocks.ts";
import { CREATIONS, type Frame, isInternalTransaction } from "../wire/call-trees.ts";
import { bytes } from "../wire/values.ts";
import type { BlockColumns, TransactionColumns } from "./shared-columns.ts";
import type { Row, RowsOf } from "./tables.ts";
import { createdContract } from "./transaction-row.ts";

/** The API's type of a frame, by opcode. All other opcodes have the type `UNKNOWN`. */
const TYPES: Readonly<Record<string, string>> = {
  CALL: "CALL",
  CALLCODE: "CALLCODE",
  CREATE: "CREATE",
  CREATE2: "CREATE2",
};

/** The tables whose rows depend on call trees. */
export const CALL_TABLES = ["evm_internal_transactions", "evm_failures", "evm_deployments"] as const;

/**
 * The rows that depend on call trees. For a block without call trees: neither internal transactions nor failures, and only the
 * deployments that receipts name.
 */
export function callRows(
  columns: BlockColumns,
  { block, receipts, traces }: RawBlock,
): RowsOf<(typeof CALL_TABLES)[number]> {
  const internals: Row<"evm_internal_transactions">[] = [];
  const failures: Row<"evm_failures">[] = [];
  const deployments: Row<"evm_deployments">[] = [];
  block.transactions.forEach((wire, i) => {
    const transaction = { index: i, hash: bytes(wire.hash, "hash of a transaction", 32) };
    if (traces) {
      const frames = traces[i] ?? [];
      const decoded = decodeTrace(columns, transaction, frames);
      failures.push(...failureRows(columns, transaction, frames));
      internals.push(...decoded.internals);
      deployments.push(...decoded.deployments);
      return;
    }
    const receipt = receipts[i] as WireReceipt;
    const address = createdContract(wire, receipt);
    if (address === null || receipt.status === "0x0") return;
    const creator = bytes(wire.from, "from", 20);
    const deployment = { address, creator, opcode: "CREATE", index: 0, code: null };
    deployments.push(deploymentRow(columns, transaction, deployment));
  });
  return { evm_internal_transactions: internals, evm_failures: failures, evm_deployments: deployments };
}

interface TraceRows {
  readonly internals: readonly Row<"evm_internal_transactions">[];
  readonly deployments: readonly Row<"evm_deployments">[];
}

/** The rows of one transaction's call tree. */
function decodeTrace(columns: BlockColumns, transaction: TransactionColumns, frames: readonly Frame[]): TraceRows {
  const internals: Row<"evm_internal_transactions">[] = [];
  const deployments: Row<"evm_deployments">[] = [];
  /** By depth: whether the current frame or an enclosing one failed. */
  const reverted: boolean[] = [];
  frames.forEach((frame, index) => {
    const [depth, opcode, from, to, value, gas, gasUsed, error, outputBytes, input = null, output = null] = frame;
    const isReverted = error !== null || (depth > 0 && (reverted[depth - 1] as boolean));
    reverted[depth] = isReverted;
    if (CREATIONS.has(opcode) && !isReverted && to !== null && outputBytes > 0)
      deployments.push(
        deploymentRow(columns, transaction, { address: to, creator: from, opcode, index, code: output }),
      );
    if (!isInternalTransaction(frame)) return;
    internals.push({
      block_number: columns.number,
      block_index: transaction.index,
      trace_index: index,
      block_timestamp: columns.timestamp,
      block_hash: columns.hash,
      tx_hash: transaction.hash,
      from_address: from,
      to_address: to,
      internal_tx_type: TYPES[opcode] ?? "UNKNOWN",
      opcode,
      value: value ?? "0",
      is_reverted: isReverted,
      gas_used: gasUsed,
      gas_limit: gas,
      input,
      output,
    });
  });
  return { internals, deployments };
}

/** The row of a transaction that failed. */
function failureRows(
  columns: BlockColumns,
  transaction: TransactionColumns,
  [outermost]: readonly Frame[],
): Row<"evm_failures">[] {
  const [, , , , , , , error = null, , , output = null] = outermost ?? [];
  return error === null
    ? []
    : [{ block_number: columns.number, block_index: transaction.index, error: storable(error), output }];
}

/** The node's text without U+0000, which PostgreSQL does not store. */
const storable = (text: string): string => text.replaceAll("\0", "");

interface Deployment {
  /** Hex without `0x`. */
  readonly address: string;
  readonly creator: string;
  readonly opcode: string;
  /** Index of the creating frame in its transaction. */
  readonly index: number;
  /** Code of the contract, hex without `0x`; null if it is not known. */
  readonly code: string | null;
}

function deploymentRow(
  columns: BlockColumns,
  transaction: TransactionColumns,
  { address, creator, opcode, index, code }: Deployment,
): Row<"evm_deployments"> {
  return {
    address,
    block_number: columns.number,
    block_index: transaction.index,
    trace_index: index,
    tx_hash: transaction.hash,
    creator_address: creator,
    opcode,
    implementation_address: code && minimalProxyTarget(code),
  };
}
