import type pg from "pg";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { createNestedList, type NestedList, type NestedListOptions } from "../../shared/rows/nested-list.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";

/** What a list is sorted by. */
interface ListOrder {
  readonly field: string;
  readonly direction: SortOrder;
}

/** Reads a page of the list of one parent, as a `NestedList`, in one of several orders. */
export type OrderedList<Order extends ListOrder, Item> = (
  order: Order,
  parent: readonly string[],
  page: PageRange,
) => Promise<Page<Item>>;

/**
 * Returns a function that creates the `OrderedList` of one request. Each order has a nested list of its own, with the options that `optionsOf`
 * returns for its field and direction, under a name of its own.
 */
export function createOrderedLists<Row extends pg.QueryResultRow, Item, Order extends ListOrder>(
  pool: StatementPool,
  pageTokens: PageTokens,
  optionsOf: (order: Order) => NestedListOptions<Row>,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (work: Work) => OrderedList<Order, Item> {
  const listOf = byOrder((order: Order) => {
    const options = optionsOf(order);
    const name = `${options.name}-by-${order.field.toLowerCase()}-${order.direction}`;
    return createNestedList(pool, pageTokens, { ...options, name }, complete);
  });
  return (work) => {
    const listOfRequest = byOrder((order: Order): NestedList<Item> => listOf(order)(work));
    return (order, parent, page) => listOfRequest(order)(parent, page);
  };
}

/** Makes something for each field and direction when it is needed first. */
function byOrder<Order extends ListOrder, Made>(make: (order: Order) => Made): (order: Order) => Made {
  const made = new Map<string, Made>();
  return (order) => {
    const key = `${order.field} ${order.direction}`;
    const known = made.get(key) ?? make(order);
    made.set(key, known);
    return known;
  };
}
