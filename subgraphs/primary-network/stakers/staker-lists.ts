import type { Database } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { createNestedList, type NestedList, type NestedListOptions } from "../../shared/rows/nested-list.ts";
import { inEachNetwork } from "../networks/by-network.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";
import { createStakersByKey } from "./by-key.ts";
import type { StakerOrder } from "./order.ts";
import { createOrderedLists, type OrderedList } from "./ordered-lists.ts";
import type { StakerPage, StakerPages } from "./pages.ts";
import type { StakerFilter, StakerKey, StakerRow } from "./rows.ts";
import type { StakerKind } from "./status.ts";

/** What the stores of validations and of delegations read with. */
export interface StakerStoreDeps {
  readonly database: Pick<Database, "pool" | "prisma">;
  readonly pageTokens: PageTokens;
  readonly networks: Networks;
  readonly pages: StakerPages;
  readonly nowSeconds: () => number;
}

/** A row of a nested list, with the time for which all of its pages determine statuses. */
type NestedRow = StakerRow & { readonly now: string };

/** How the stakers of one kind are read. */
export interface StakerLists<Item> {
  /** A page. One statement. */
  page(network: ServedNetwork, filter: StakerFilter, page: PageRange, work: Work): Promise<StakerPage<Item>>;
  /** Stakers by staking transaction, in any order. */
  byKey(keys: readonly StakerKey[], work: Work): Promise<Item[]>;
  /** The lists of parents, with the options of `nestedStakers`. */
  below(options: NestedListOptions<NestedRow>): (work: Work) => NestedList<Item>;
  /** The same in each order of which `optionsOf` returns the options. */
  sortedBelow(
    optionsOf: (order: StakerOrder) => NestedListOptions<NestedRow>,
  ): (work: Work) => OrderedList<StakerOrder, Item>;
}

/** `fromRow` turns a row into an item with its status at a time in seconds. */
export function createStakerLists<Item>(
  { database, pageTokens, networks, pages, nowSeconds }: StakerStoreDeps,
  kind: StakerKind,
  fromRow: (network: ServedNetwork, row: StakerRow, nowSeconds: number) => Item,
): StakerLists<Item> {
  const { pool } = database;
  const byKey = createStakersByKey(database);
  const fromRows = inEachNetwork(networks, async (network, rows: readonly (StakerRow | NestedRow)[]) =>
    rows.map((row) => fromRow(network, row, "now" in row ? Number(row.now) : nowSeconds())),
  );
  const keptValues = () => [String(nowSeconds())];
  return {
    async page(network, filter, range, work) {
      const page = await pages(filter, range, work);
      const now = nowSeconds();
      const { totals } = page;
      return page.withNodes(page.nodes.map((row) => fromRow(network, row, now))).with({ totals });
    },
    byKey: async (keys, work) =>
      fromRows(
        (await byKey(keys, work)).filter((row) => row.kind === kind),
        work,
      ),
    below: (options) => createNestedList(pool, pageTokens, { ...options, keptValues }, fromRows),
    sortedBelow: (optionsOf) =>
      createOrderedLists(pool, pageTokens, (order) => ({ ...optionsOf(order), keptValues }), fromRows),
  };
}
