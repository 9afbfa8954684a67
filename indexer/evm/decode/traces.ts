import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Frame } from "../fetch/verify-traces.ts";
import type { At, TransactionAt } from "./block.ts";
import { type Row } from "./columns.ts";

/** Frames that are kept whatever their value is. */
const CREATIONS: ReadonlySet<string> = new Set(["CREATE", "CREATE2"]);
/** Frames whose value goes from one account to another, or, of CALLCODE, seems to; and the words of the API for them. */
const TYPES: Readonly<Record<string, string>> = {
  CALL: "CALL",
  CALLCODE: "CALLCODE",
  CREATE: "CREATE",
  CREATE2: "CREATE2",
};
/** Frames that name a value which is not theirs: that of the call around them. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(["DELEGATECALL", "STATICCALL"]);

export interface TraceRows {
  readonly internals: readonly Row[];
  readonly deployments: readonly Row[];
}

/** Rows of one transaction's call tree. */
export function decodeTrace(at: At, transaction: TransactionAt, frames: readonly Frame[]): TraceRows {
  const internals: Row[] = [];
  const deployments: Row[] = [];
  /** At each depth, whether the frame there or one around it failed. */
  const undone: boolean[] = [];
  frames.forEach(([depth, opcode, from, to, value, gas, gasUsed, error, outputBytes], index) => {
    const isReverted = error !== null || (depth > 0 && (undone[depth - 1] as boolean));
    undone[depth] = isReverted;
    const isCreation = CREATIONS.has(opcode);
    if (isCreation && !isReverted && to !== null && outputBytes > 0)
      deployments.push(deploymentRow(at, transaction, { address: to, creator: from, opcode, index }));
    const moves = value !== null && value !== "0" && !WITHOUT_VALUE.has(opcode);
    if (index === 0 || !(isCreation || moves)) return;
    internals.push([
      at.chainId,
      at.number,
      transaction.index,
      String(index),
      at.timestamp,
      at.hash,
      transaction.hash,
      pgBytes(from),
      to === null ? null : pgBytes(to),
      TYPES[opcode] ?? "UNKNOWN",
      opcode,
      value ?? "0",
      isReverted ? "t" : "f",
      gasUsed,
      gas,
    ]);
  });
  return { internals, deployments };
}

interface Deployed {
  /** Hex without `0x`. */
  readonly address: string;
  readonly creator: string;
  readonly opcode: string;
  readonly index: number;
}

/** A contract that came to be in the frame `index` of the transaction. */
export function deploymentRow(at: At, transaction: TransactionAt, { address, creator, opcode, index }: Deployed): Row {
  return [
    at.chainId,
    pgBytes(address),
    at.number,
    transaction.index,
    String(index),
    transaction.hash,
    pgBytes(creator),
    opcode,
  ];
}
