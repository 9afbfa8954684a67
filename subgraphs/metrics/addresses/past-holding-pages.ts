import type { PageRange } from "../../../core/graph/connection-args.ts";
import { requireHeads } from "../../../core/graph/page.ts";
import { completed, MAX_FURTHER_STATEMENTS } from "../../shared/rows/completed.ts";
import { COUNT_LIMIT, totalOf } from "../../shared/rows/list-reader.ts";
import type { Load } from "../../shared/rows/loader.ts";
import type { StateAt } from "../../shared/schema/state-at.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { checkedPage } from "../page-tokens/checked-page.ts";
import { type MetricsPage, metricsPageOf } from "../page-tokens/metrics-page.ts";
import {
  type PinnedBlock,
  parametersOfAt,
  pinnedCursor,
  pinnedPage,
  requirePinned,
} from "../page-tokens/pinned-block.ts";
import { requireCounted } from "./holding-pages.ts";
import type { HoldingsAtBlock, HoldingsAtBlockKey } from "./past-holdings.ts";
import type { EvmAddress } from "./types.ts";

export interface PastHoldingsRequest<Row> {
  /** Name of the list, to which page tokens belong. */
  readonly list: string;
  readonly at: StateAt | null | undefined;
  readonly page: PageRange;
  readonly load: Load<HoldingsAtBlockKey, HoldingsAtBlock<Row>>;
  /** Values of a row in the columns of the order, separated by spaces. */
  readonly cursorOf: (row: Row) => string;
}

export interface PastHoldingsPage<Row> {
  readonly page: MetricsPage<Row>;
  /** The block after which the address held these tokens; null without `at`. */
  readonly block: PinnedBlock | null;
}

/**
 * Reads a page of the tokens that an address held after the block that `at` selects. Throws like `readHoldings`, and `INVALID_PARAMETER` for
 * a block that is not indexed.
 */
export async function readPastHoldings<Row>(
  holder: EvmAddress,
  { list, at, page: asked, load, cursorOf }: PastHoldingsRequest<Row>,
  context: MetricsContext,
): Promise<PastHoldingsPage<Row>> {
  requireCounted(holder);
  const { chainId, address } = holder;
  const parameters = [chainId, address, ...parametersOfAt(at)];
  const { size, isBackward, start } = checkedPage({ list, parameters, page: asked }, context);
  const { block, cursor } = await pinnedPage(chainId, at, start?.cursor ?? null, context);
  const read = async (
    part: Pick<HoldingsAtBlockKey, "after" | "isBackward" | "size">,
  ): Promise<HoldingsAtBlock<Row>> => {
    const found = await load({ chainId, address, blockNumber: block?.blockNumber ?? "", ...part });
    const holdings = await requireIndexed(chainId, found, context, `chain ${chainId}`);
    if (start) requireHeads([start.head], [holdings.head]);
    requirePinned(block, holdings);
    return holdings;
  };
  const loadPart = (after: string | null, size: number) => read({ after, isBackward, size });
  const first = await loadPart(cursor, size + 1);
  const { items, nextPlace } = await completed(first, size + 1, loadPart, MAX_FURTHER_STATEMENTS);
  const page = metricsPageOf(
    items,
    {
      size,
      isBackward,
      isContinued: start !== null,
      list,
      parameters,
      positionOf: (row: Row) => pinnedCursor(block, cursorOf(row)),
      nextPlace: nextPlace && pinnedCursor(block, nextPlace),
      head: first.head,
      async count() {
        const { items, lastCandidate } = await read({ after: null, isBackward: false, size: COUNT_LIMIT });
        return lastCandidate === null ? totalOf(items.length) : { count: String(items.length), isExact: false };
      },
    },
    context,
  );
  return { page, block };
}
