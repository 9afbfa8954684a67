import { P_CHAIN_HEAD } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { createListReader, exactly, type ListReader, type ListReaderOptions } from "../../shared/rows/list-reader.ts";
import { bytea, byteaArray } from "../../shared/rows/text-rows.ts";
import { endsOf, orderOf, rangeOf, stakerPosition } from "./order.ts";
import {
  STAKER_POSITION_AT,
  type StakerFilter,
  type StakerRow,
  scopeOf,
  stakerPageStatement,
  stakersOfOwnersStatement,
} from "./rows.ts";
import { possibleStatuses } from "./status.ts";
import { createStakerTotals, type StakerTotals } from "./totals.ts";

/** A page with the totals of its whole list; null if no counter has them. */
export type StakerPage<Item> = Page<Item> & { readonly totals: () => Promise<StakerTotals | null> };

/** Reads a page of stakers. One statement. */
export type StakerPages = (filter: StakerFilter, page: PageRange, work: Work) => Promise<StakerPage<StakerRow>>;

/** `nowSeconds` is the clock for comparing statuses. */
export function createStakerPages(pool: StatementPool, pageTokens: PageTokens, nowSeconds: () => number): StakerPages {
  const readers = new Map<string, ListReader<StakerRow>>();
  const totalsOf = createStakerTotals(pool);
  return async (filter, page, work) => {
    const options = optionsOf(filter);
    const reader = readers.get(options.name) ?? createListReader<StakerRow>(pool, options);
    readers.set(options.name, reader);
    const now = nowSeconds();
    const values = (from: PageFrom) => valuesOf(filter, from, now);
    const ends = endsOf(filter.order);
    let totals: Promise<StakerTotals | null> | undefined;
    const total = () => {
      totals ??= totalsOf(filter, now, work);
      return totals;
    };
    const found = await readListPage(pageTokens, {
      list: "stakers",
      parameters: parametersOf(filter),
      page,
      ends,
      read: (from) => reader.read(values, from, work),
      async count() {
        const counted = await total();
        return counted ? exactly(counted.count) : reader.count(values, work, ends);
      },
      positionOf: (row) => stakerPosition(filter.order, row),
    });
    return found.with({ totals: total });
  };
}

/** What cursors belong to. */
function parametersOf({ networkId, kind, owners, nodes, subnet, status, order }: StakerFilter): readonly unknown[] {
  const { field, direction, from, to } = order;
  return [networkId, kind, owners, nodes, subnet, status, field, direction, from, to];
}

function optionsOf(filter: StakerFilter): ListReaderOptions {
  const { field, direction } = filter.order;
  const scope = scopeOf(filter);
  return {
    name: `stakers-of-${scope}-by-${field.toLowerCase()}-${direction}`,
    order: orderOf(filter.order),
    positionAt: STAKER_POSITION_AT,
    select: (keyset) =>
      scope === "owners" ? stakersOfOwnersStatement(keyset) : stakerPageStatement(scope, field, keyset),
    head: P_CHAIN_HEAD,
  };
}

/** The parameters of the statement of a filter. */
function valuesOf(filter: StakerFilter, { position, limit }: PageFrom, now: number): unknown[] {
  const { networkId, kind, owners, nodes, subnet, status, order } = filter;
  const start = (values: unknown) => [networkId, kind, values, ...position, limit, status, now];
  const inSubnet = subnet && bytea(subnet);
  if (owners) return [...start(byteaArray(owners)), nodes && byteaArray(nodes), inSubnet];
  const ofStatuses = [...start(possibleStatuses(kind, status)), ...rangeOf(order)];
  if (nodes) return [...ofStatuses, byteaArray(nodes), inSubnet];
  return subnet ? [...ofStatuses, byteaArray([subnet])] : ofStatuses;
}
