import type pg from "pg";
import { P_CHAIN_HEAD } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { createListReader } from "../../shared/rows/list-reader.ts";
import { bytea, byteaArray } from "../../shared/rows/text-rows.ts";
import { type SortOrder, sorted } from "../paging/sort-order.ts";
import {
  STAKER_ORDER,
  STAKER_POSITION_AT,
  type StakerFilter,
  type StakerRow,
  type StakerScope,
  scopeOf,
  stakerPageStatement,
} from "./rows.ts";

export interface StakerPageArgs extends PageRange {
  readonly sortOrder?: SortOrder | null;
}

/** Reads a page of stakers by start time, latest first by default. One statement. */
export type StakerPages = (filter: StakerFilter, args: StakerPageArgs, work: Work) => Promise<Page<StakerRow>>;

/** `nowSeconds` is the clock for comparing statuses. */
export function createStakerPages(pool: pg.Pool, pageTokens: PageTokens, nowSeconds: () => number): StakerPages {
  const reader = (scope: StakerScope, sortOrder: SortOrder) =>
    createListReader<StakerRow>(pool, {
      name: `stakers-of-${scope}-${sortOrder}`,
      order: sorted(STAKER_ORDER, sortOrder),
      positionAt: STAKER_POSITION_AT,
      select: (keyset) => stakerPageStatement(scope, keyset),
      head: P_CHAIN_HEAD,
    });
  const both = (scope: StakerScope) => ({ desc: reader(scope, "desc"), asc: reader(scope, "asc") });
  const readers = {
    nodes: both("nodes"),
    subnets: both("subnets"),
    owners: both("owners"),
    statuses: both("statuses"),
  };
  return async (filter, page, work) => {
    const { networkId, kind, owners, nodes, subnet, status } = filter;
    const direction = page.sortOrder ?? "desc";
    const [scope, found] = scopeOf(filter);
    const stakers = readers[scope][direction];
    const further = [nodes && scope === "owners" ? byteaArray(nodes) : null, subnet && bytea(subnet)];
    const values = ({ position, limit }: PageFrom) => [
      networkId,
      kind,
      scope === "statuses" ? found : byteaArray(found),
      ...position,
      limit,
      status,
      nowSeconds(),
      ...further,
    ];
    return readListPage(pageTokens, {
      list: "stakers",
      parameters: [networkId, kind, owners, nodes, subnet, status, direction],
      page,
      ends: stakers.ends,
      read: (from) => stakers.read(values, from, work),
      count: () => stakers.count(values, work),
      positionOf: ({ startTimestamp, stakerSeq }) => [startTimestamp, stakerSeq],
    });
  };
}
