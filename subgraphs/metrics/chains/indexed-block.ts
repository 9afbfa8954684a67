import { Failure } from "../../../core/errors/errors.ts";

/**
 * Throws `INVALID_PARAMETER` if block `blockNumber` is above the last indexed block `head`: a reorganisation has removed it since it was
 * selected. Null selects the last indexed block.
 */
export function requireIndexedBlock(blockNumber: string | null | undefined, head: string): void {
  if (blockNumber && BigInt(blockNumber) > BigInt(head))
    throw new Failure(
      "INVALID_PARAMETER",
      `at must select a block up to ${head}, the last indexed block, but selects block ${blockNumber}`,
    );
}
