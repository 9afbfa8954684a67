import { Failure } from "../../../core/errors/errors.ts";
import type { IndexedBlock } from "../../shared/rows/selected-block.ts";
import { momentOf, type StateAt } from "../../shared/schema/state-at.ts";
import { blockAt } from "../chains/block-at.ts";
import { requireIndexedBlock } from "../chains/indexed-block.ts";
import type { MetricsContext } from "../context.ts";

/** The block after which all pages of a list are read. */
export type PinnedBlock = Pick<IndexedBlock, "blockNumber" | "blockHash" | "blockTimestamp">;

export interface PinnedPage {
  /** Null for the last indexed block at the time of each page. */
  readonly block: PinnedBlock | null;
  /** Where the page begins in the list; null for the first page. */
  readonly cursor: string | null;
}

/** Parameters of page tokens: they are valid only for the same `at`. Throws like `momentOf`. */
export function parametersOfAt(at: StateAt | null | undefined): unknown[] {
  const moment = momentOf(at);
  return [moment?.block ?? null, moment?.time ?? null];
}

/** The text from which `pinnedPage` continues: `cursor`, with the block of the list in front of it. */
export function pinnedCursor(block: PinnedBlock | null, cursor: string): string {
  return block === null ? cursor : [block.blockNumber, block.blockHash, block.blockTimestamp, cursor].join(" ");
}

/** The block that `at` selects for the first page, and the same block for all others. `before` is the text of `pinnedCursor`. */
export async function pinnedPage(
  chainId: string,
  at: StateAt | null | undefined,
  before: string | null,
  context: MetricsContext,
): Promise<PinnedPage> {
  if (before === null) return { block: await blockAt(chainId, at, context), cursor: null };
  if (!at) return { block: null, cursor: before };
  const [blockNumber = "", blockHash = "", blockTimestamp = "", ...cursor] = before.split(" ");
  return { block: { blockNumber, blockHash, blockTimestamp }, cursor: cursor.join(" ") };
}

/**
 * Throws `INVALID_PARAMETER` if a reorganisation has removed the pinned block since it was selected, or has replaced it. `found` is what
 * a page was read with: the hash of the block with this number, and the last indexed block.
 */
export function requirePinned(
  block: PinnedBlock | null,
  { blockHash, head }: { readonly blockHash: string | null; readonly head: string },
): void {
  if (block === null) return;
  requireIndexedBlock(block.blockNumber, head);
  if (block.blockHash === blockHash) return;
  throw new Failure(
    "INVALID_PARAMETER",
    `a reorganisation has replaced block ${block.blockNumber} (${block.blockHash}), which at selects: start again from the first page`,
  );
}
