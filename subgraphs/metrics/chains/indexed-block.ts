import { Failure } from "../../../core/errors/errors.ts";

/** Throws `INVALID_PARAMETER` if `blockNumber` is above the last indexed block `head`. Null selects the last indexed block. */
export function requireIndexedBlock(blockNumber: string | null | undefined, head: string): void {
  if (blockNumber && BigInt(blockNumber) > BigInt(head))
    throw new Failure(
      "INVALID_PARAMETER",
      `blockNumber must be at most ${head}, the last indexed block, got ${blockNumber}`,
    );
}
