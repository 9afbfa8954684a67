/**
 * A call frame as it is stored. Most frames have no input and output, which are most of the node's answer: only internal transactions
 * have both, and a failed outermost frame has its output. Part of the format of stored payloads.
 */
export type Frame = readonly [
  /** Number of enclosing frames: 0 for the outermost. */
  depth: number,
  /** Opcode as in the node's answer: CALL, CREATE2, SELFDESTRUCT and others. */
  opcode: string,
  /** Hex without `0x`. */
  from: string,
  /** Hex without `0x`; null if the node returns none, for example for a failed creation. */
  to: string | null,
  /** Decimal; null if the node returns none. */
  value: string | null,
  gas: string,
  gasUsed: string,
  /** Why the frame failed; null if it succeeded. An enclosing frame may still have failed. */
  error: string | null,
  /** Number of bytes that the frame returned; for a creation, the length of the code. */
  outputBytes: number,
  /** Call data, hex without `0x`; for a creation, the init code. Null or absent if it is not stored. */
  input?: string | null,
  /** What the frame returned, hex without `0x`; for a creation, the code. Null or absent if it is not stored. */
  output?: string | null,
];

/** Opcodes of frames that are internal transactions even if their value is 0. */
export const CREATIONS: ReadonlySet<string> = new Set(["CREATE", "CREATE2"]);
/** Opcodes whose frames transfer nothing. A DELEGATECALL frame shows the value of the enclosing call. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(["DELEGATECALL", "STATICCALL"]);

/** True if a frame is an internal transaction: below the outermost frame, it transfers the native token or creates a contract. */
export function isInternalTransaction([depth, opcode, , , value]: Frame): boolean {
  const transfersValue = value !== null && value !== "0" && !WITHOUT_VALUE.has(opcode);
  return depth > 0 && (CREATIONS.has(opcode) || transfersValue);
}

/** The call tree of each transaction of a block, depth first. */
export type BlockTraces = readonly (readonly Frame[])[];

/** Why a block has no call trees although they were requested. */
export interface TraceFailure {
  /** Shown to callers of the API. */
  readonly reason: string;
  /** For the log only: the node's words. Null if there are none. */
  readonly detail: string | null;
  /** True if the node may return them later, so that they are requested again. */
  readonly isPassing: boolean;
}
