/**
 * A call frame as it is stored: without input and output, which no row needs and which are most of the node's
 * answer. Part of the format of stored payloads.
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
];

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
