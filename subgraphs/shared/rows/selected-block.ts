import { Failure } from "../../../core/errors/errors.ts";

/** A block that a request selected by its number or a time, and the last indexed block of the chain. */
export interface SelectedBlock {
  readonly headNumber: string;
  readonly headTimestamp: string;
  /** Null if no block matches. */
  readonly blockNumber: string | null;
  readonly blockTimestamp: string;
  readonly blockHash: string;
}

/** An indexed block. */
export interface IndexedBlock {
  readonly blockNumber: string;
  readonly blockTimestamp: string;
  readonly blockHash: string;
}

/** What a request selects a block by: a number or a time, as decimal text. One of them is null. */
interface Selector {
  readonly block: string | null;
  readonly time: string | null;
}

/** Names of the two parameters of a request, for messages. */
export interface SelectorNames {
  readonly block: string;
  readonly time: string;
}

/** Names of the members of `StateAt`. */
export const AT: SelectorNames = { block: "at.block", time: "at.time" };

/**
 * The selected block. Throws `INVALID_PARAMETER` if it is after the last indexed block or before the first block, and `UNAVAILABLE` if it
 * is before the last indexed block but is not indexed.
 */
export function requireSelected(row: SelectedBlock, { block, time }: Selector, names: SelectorNames): IndexedBlock {
  const { headNumber, headTimestamp, blockNumber, blockTimestamp, blockHash } = row;
  if (time !== null && BigInt(time) > BigInt(headTimestamp))
    throw new Failure(
      "INVALID_PARAMETER",
      `${names.time} must be at most ${headTimestamp}, the timestamp of the last indexed block ${headNumber}, got ${time}`,
    );
  if (block !== null && BigInt(block) > BigInt(headNumber))
    throw new Failure(
      "INVALID_PARAMETER",
      `${names.block} must be at most ${headNumber}, the last indexed block, got ${block}`,
    );
  if (blockNumber !== null) return { blockNumber, blockTimestamp, blockHash };
  if (block !== null) throw new Failure("UNAVAILABLE", `${names.block}: block ${block} is not indexed`);
  throw new Failure("INVALID_PARAMETER", `${names.time} must not be before the chain's first block, got ${time}`);
}
