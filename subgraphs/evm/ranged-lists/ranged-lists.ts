import type pg from "pg";
import type { Database } from "../../../core/database/database.ts";
import type { PageTokens, Position } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { lazyLoaders } from "../../shared/request-context.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { type ChainRow, type ChainsList, createChainsList } from "./across-chains.ts";
import type { ChainSelect } from "./ranged-select.ts";

/** A list in a range of blocks and times: of one chain, whose key has the parts of `rangedSelect`, or of several chains. */
export interface RangedList<Item> {
  readonly ofChain: NestedList<Item>;
  readonly ofChains: ChainsList<Item>;
}

interface RangedListOptions<Row> {
  /** Name of the prepared statements. Cursors use it too. */
  readonly name: string;
  readonly select: ChainSelect;
  /** Position of a row on its chain. */
  readonly positionOf: (row: Row) => Position;
}

/** Returns a function that creates the list of one request. `complete` turns rows into items; it runs once for the rows of a statement. */
export function createRangedList<Row extends pg.QueryResultRow & ChainRow, Item = Row>(
  { pool }: Pick<Database, "pool">,
  tokens: PageTokens,
  { name, select, positionOf }: RangedListOptions<Row>,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (work: Work) => RangedList<Item> {
  const ofChain = createNestedList<Row, Item>(pool, tokens, { ...select, name, positionOf }, complete);
  const ofChains = createChainsList<Row, Item>(
    { pool },
    tokens,
    { ...select, name: `${name}-of-chains`, positionOf },
    complete,
  );
  return lazyLoaders({ ofChain, ofChains });
}
