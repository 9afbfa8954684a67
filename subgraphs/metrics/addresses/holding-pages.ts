import { Failure } from "../../../core/errors/errors.ts";
import { ZERO_ADDRESS } from "../../../core/formats/address.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import { requireHeads } from "../../../core/graph/page.ts";
import { COUNT_LIMIT, totalOf } from "../../shared/rows/list-reader.ts";
import type { Load } from "../../shared/rows/loader.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { readCursor } from "../page-tokens/checked-page.ts";
import { type MetricsPage, metricsPageOf } from "../page-tokens/metrics-page.ts";
import type { Holdings, HoldingsKey } from "./holding-lists.ts";
import type { EvmAddress } from "./types.ts";

export interface HoldingsRequest<Row> {
  /** Name of the list, to which page tokens belong. */
  readonly list: string;
  readonly load: Load<HoldingsKey, Holdings<Row>>;
  /** Values of a row in the columns of the order, separated by spaces. */
  readonly cursorOf: (row: Row) => string;
  readonly page: PageRange;
}

export interface HoldingsPage<Row> {
  readonly page: MetricsPage<Row>;
  /** Hash of the block after which the address holds these tokens; null if it is not indexed. */
  readonly blockHash: string | null;
}

/**
 * Reads a page of the tokens that an address holds. Throws `INVALID_PARAMETER` for an invalid page and for the zero address,
 * whose tokens are not counted, and `UNAVAILABLE` if the chain is not indexed.
 */
export async function readHoldings<Row>(
  holder: EvmAddress,
  { list, load, cursorOf, page: { size, cursor, isBackward = false } }: HoldingsRequest<Row>,
  context: MetricsContext,
): Promise<HoldingsPage<Row>> {
  requireCounted(holder);
  const { chainId, address } = holder;
  const parameters = [chainId, address];
  const start = readCursor({ list, parameters }, cursor, context);
  const read = async ({ after, isBackward, size }: Pick<HoldingsKey, "after" | "isBackward" | "size">) =>
    requireIndexed(chainId, await load({ chainId, address, after, isBackward, size }), context, `chain ${chainId}`);
  const { rows, blockHash, head } = await read({ after: start?.cursor ?? "", isBackward, size: size + 1 });
  if (start) requireHeads([start.head], [head]);
  const page = metricsPageOf(
    [...rows],
    {
      size,
      isBackward,
      isContinued: start !== null,
      list,
      parameters,
      positionOf: cursorOf,
      head,
      count: async () => totalOf((await read({ after: "", isBackward: false, size: COUNT_LIMIT })).rows.length),
    },
    context,
  );
  return { page, blockHash };
}

/** Throws `INVALID_PARAMETER` for the zero address, whose tokens are not counted. */
export function requireCounted({ address }: EvmAddress): void {
  if (address === ZERO_ADDRESS)
    throw new Failure("INVALID_PARAMETER", "address must not be the zero address: its tokens are not counted");
}
