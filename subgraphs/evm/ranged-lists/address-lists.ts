import type pg from "pg";
import type { Database } from "../../../core/database/database.ts";
import type { PageTokens, Position } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { lazyLoaders } from "../../shared/request-context.ts";
import type { Order } from "../../shared/rows/keyset.ts";
import type { ChainRow } from "./across-chains.ts";
import { createRangedList, type RangedList } from "./ranged-lists.ts";
import { type ChainSelect, type Part, rangedSelect } from "./ranged-select.ts";

/** A table that names a sender (`from_address`) and a recipient (`to_address`). */
interface AddressTable {
  readonly table: string;
  /** SELECT list. It includes `from` and every column of `order`. */
  readonly columns: string;
  /** The order of the rows of a chain, newest first; `block_number` is its first column. */
  readonly order: Order;
  /** SQL types of the columns of the key before the address. `where` compares them. Default: none. */
  readonly key?: Readonly<Record<string, string>>;
  /**
   * A further condition on `t`. The indexes by sender and by recipient must begin with the columns that it compares with those of `key`, or be
   * partial indexes with the same condition.
   */
  readonly where?: string;
  /** Condition for each side, if it is more than a comparison of the side with the address. */
  readonly sides?: Readonly<Record<Side, string>>;
}

type Side = "SENT" | "RECEIVED";

/** Which side the address of a list is on; BOTH: one of them, or both. */
export type Direction = Side | "BOTH";

const SIDES: Readonly<Record<Side, string>> = {
  SENT: "t.from_address = k.address",
  RECEIVED: "t.to_address = k.address",
};

/** The rows that an address sent, received, or both. Its key is `key` and the address. */
function addressSelect({ where, key, sides = SIDES, ...table }: AddressTable, direction: Direction): ChainSelect {
  const partOf = (side: Side): Part => ({ where: where ? `${sides[side]} AND ${where}` : sides[side] });
  /** What an address sent to itself is in the first part. */
  const parts =
    direction === "BOTH"
      ? [partOf("SENT"), { ...partOf("RECEIVED"), unless: `"from" <> k.address` }]
      : [partOf(direction)];
  return rangedSelect({ ...table, key: { ...key, address: "bytea" }, parts });
}

/** The lists of an address by direction. The end of their key is the address as BYTEA. */
export type AddressLists<Item> = Readonly<Record<Direction, RangedList<Item>>>;

interface AddressListsOptions<Row> {
  /** Name of the prepared statements. Cursors use it too. */
  readonly name: string;
  readonly table: AddressTable;
  /** Position of a row on its chain. */
  readonly positionOf: (row: Row) => Position;
}

/** Returns a function that creates the lists of one request. Each list is made when it is used first. */
export function createAddressLists<Row extends pg.QueryResultRow & ChainRow, Item>(
  database: Pick<Database, "pool">,
  tokens: PageTokens,
  { name, table, positionOf }: AddressListsOptions<Row>,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (work: Work) => AddressLists<Item> {
  const listsOf = (direction: Direction) =>
    createRangedList<Row, Item>(
      database,
      tokens,
      { name: `${name}-${direction.toLowerCase()}`, select: addressSelect(table, direction), positionOf },
      complete,
    );
  return lazyLoaders({ SENT: listsOf("SENT"), RECEIVED: listsOf("RECEIVED"), BOTH: listsOf("BOTH") });
}
