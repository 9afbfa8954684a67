import { type RawBlock, type WireReceipt } from "../wire/blocks.ts";
import type { Frame } from "../wire/call-trees.ts";
import { bytes } from "../wire/values.ts";
import type { BlockColumns, TransactionColumns } from "./shared-columns.ts";
import type { Row, RowsOf } from "./tables.ts";
import { createdContract } from "./transaction-row.ts";

/** Opcodes of frames that are listed even if their value is 0. */
const CREATIONS: ReadonlySet<string> = new Set(["CREATE", "CREATE2"]);
/** The API's type of a frame, by opcode. All other opcodes have the type `UNKNOWN`. */
const TYPES: Readonly<Record<string, string>> = {
  CALL: "CALL",
  CALLCODE: "CALLCODE",
  CREATE: "CREATE",
  CREATE2: "CREATE2",
};
/** Opcodes whose frames transfer nothing. A DELEGATECALL frame shows the value of the enclosing call. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(["DELEGATECALL", "STATICCALL"]);

/**
 * The rows that depend on call trees. For a block without call trees: no internal transactions, and only the deployments
 * that receipts name.
 */
export function callRows(
  columns: BlockColumns,
  { block, receipts, traces }: RawBlock,
): RowsOf<"evm_internal_transactions" | "evm_deployments"> {
  const internals: Row<"evm_internal_transactions">[] = [];
  const deployments: Row<"evm_deployments">[] = [];
  block.transactions.forEach((wire, i) => {
    const transaction = { index: i, hash: bytes(wire.hash, "hash of a transaction", 32) };
    if (traces) {
      const decoded = decodeTrace(columns, transaction, traces[i] ?? []);
      internals.push(...decoded.internals);
      deployments.push(...decoded.deployments);
      return;
    }
    const receipt = receipts[i] as WireReceipt;
    const address = createdContract(wire, receipt);
    if (address === null || receipt.status === "0x0") return;
    const creator = bytes(wire.from, "from", 20);
    deployments.push(deploymentRow(columns, transaction, { address, creator, opcode: "CREATE", index: 0 }));
  });
  return { evm_internal_transactions: internals, evm_deployments: deployments };
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
  frames.forEach(([depth, opcode, from, to, value, gas, gasUsed, error, outputBytes], index) => {
    const isReverted = error !== null || (depth > 0 && (reverted[depth - 1] as boolean));
    reverted[depth] = isReverted;
    const isCreation = CREATIONS.has(opcode);
    if (isCreation && !isReverted && to !== null && outputBytes > 0)
      deployments.push(deploymentRow(columns, transaction, { address: to, creator: from, opcode, index }));
    const transfersValue = value !== null && value !== "0" && !WITHOUT_VALUE.has(opcode);
    if (index === 0 || !(isCreation || transfersValue)) return;
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
    });
  });
  return { internals, deployments };
}

interface Deployment {
  /** Hex without `0x`. */
  readonly address: string;
  readonly creator: string;
  readonly opcode: string;
  /** Index of the creating frame in its transaction. */
  readonly index: number;
}

function deploymentRow(
  columns: BlockColumns,
  transaction: TransactionColumns,
  { address, creator, opcode, index }: Deployment,
): Row<"evm_deployments"> {
  return {
    address,
    block_number: columns.number,
    block_index: transaction.index,
    trace_index: index,
    tx_hash: transaction.hash,
    creator_address: creator,
    opcode,
  };
}
