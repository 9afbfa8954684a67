import type pg from "pg";
import { P_CHAIN_HEAD, preparedList } from "../../../core/database/database.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import type { Page } from "../../shared/rows/nested-list.ts";
import { bytea, byteaArray } from "../../shared/rows/text-rows.ts";
import { FIRST_POSITION, type SortOrder } from "../paging/sort-order.ts";
import { type StakerFilter, type StakerRow, type StakerScope, scopeOf, stakerPageStatement } from "./rows.ts";

export interface StakerPageArgs {
  readonly pageToken?: string | null;
  readonly sortOrder?: SortOrder | null;
  readonly size: number;
}

/** Reads a page of stakers by start time, latest first by default. One statement. */
export type StakerPages = (filter: StakerFilter, args: StakerPageArgs, work: Work) => Promise<Page<StakerRow>>;

/** `nowSeconds` is the clock for comparing statuses. */
export function createStakerPages(pool: pg.Pool, pageTokens: PageTokens, nowSeconds: () => number): StakerPages {
  const read = (scope: StakerScope, sortOrder: SortOrder) =>
    preparedList<StakerRow>(
      pool,
      `stakers-of-${scope}-${sortOrder}`,
      stakerPageStatement(scope, sortOrder),
      P_CHAIN_HEAD,
    );
  const both = (scope: StakerScope) => ({ desc: read(scope, "desc"), asc: read(scope, "asc") });
  const statements = {
    nodes: both("nodes"),
    subnets: both("subnets"),
    owners: both("owners"),
    statuses: both("statuses"),
  };
  return async (filter, page, work) => {
    const { networkId, kind, owners, nodes, subnet, status } = filter;
    const direction = page.sortOrder ?? "desc";
    const [scope, values] = scopeOf(filter);
    return readListPage(pageTokens, {
      list: "stakers",
      parameters: [networkId, kind, owners, nodes, subnet, status, direction],
      page,
      start: FIRST_POSITION[direction],
      read(position) {
        const start = [networkId, kind, scope === "statuses" ? values : byteaArray(values), ...position];
        const further = [nodes && scope === "owners" ? byteaArray(nodes) : null, subnet && bytea(subnet)];
        return statements[scope][direction]([...start, page.size + 1, status, nowSeconds(), ...further], work);
      },
      positionOf: ({ startTimestamp, stakerSeq }) => [startTimestamp, stakerSeq],
    });
  };
}
