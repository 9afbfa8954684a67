import { Failure } from "../../../core/errors/errors.ts";
import { ZERO_ADDRESS } from "../../../core/formats/address.ts";
import { pageOf, requireHeads } from "../../../core/graph/page.ts";
import type { Load } from "../../shared/rows/loader.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import type { Holdings, HoldingsKey } from "./holding-lists.ts";
import type { EvmAddress } from "./types.ts";

export interface HoldingsRequest<Row> {
  /** Name of the list, to which page tokens belong. */
  readonly list: string;
  readonly load: Load<HoldingsKey, Holdings<Row>>;
  /** Values of a row in the columns of the order, separated by spaces. */
  readonly cursorOf: (row: Row) => string;
  readonly page: { readonly size: number; readonly pageToken?: string | null };
}

export interface HoldingsPage<Row> {
  readonly items: Row[];
  readonly nextPageToken: string | null;
  /** Hash of the last indexed block, after which the address holds these tokens. */
  readonly blockHash: string;
}

/**
 * Reads a page of the tokens that an address holds. Throws `INVALID_PARAMETER` for an invalid page and for the zero address,
 * whose tokens are not counted, and `UNAVAILABLE` if the chain is not indexed.
 */
export async function readHoldings<Row>(
  { chainId, address }: EvmAddress,
  { list, load, cursorOf, page: { size, pageToken = null } }: HoldingsRequest<Row>,
  context: MetricsContext,
): Promise<HoldingsPage<Row>> {
  if (address === ZERO_ADDRESS)
    throw new Failure("INVALID_PARAMETER", "address must not be the zero address: its tokens are not counted");
  const parameters = [chainId, address];
  const before = await context.pageTokens.read(list, parameters, pageToken);
  const after = before?.cursor ?? "";
  const found = await load({ chainId, address, after, size: size + 1 });
  const { rows, blockHash, head } = await requireIndexed(chainId, found, context, `chain ${chainId}`);
  if (before) requireHeads([before.head], [head]);
  const { items, nextPageToken: cursor } = pageOf([...rows], size, cursorOf);
  return { items, nextPageToken: await context.load.newPageToken({ list, parameters, cursor, head }), blockHash };
}
