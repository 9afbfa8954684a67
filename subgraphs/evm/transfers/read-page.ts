import type pg from "pg";
import { EVM_HEAD, preparedList } from "../../../core/database/database.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { bigint, bytea, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import type { TransfersArgs } from "./types.ts";

export interface TransferList<Row> {
  /** Name of the prepared statement. */
  readonly name: string;
  /** As `addressStatement` makes it. */
  readonly statement: string;
  /** Field of the Query type, to which page tokens belong. */
  readonly field: string;
  /** Position of a row: its block number, then its other columns of the order. */
  readonly positionOf: (row: Row) => readonly [blockNumber: string, ...indexes: number[]];
  /** How many columns the position has after the block number. */
  readonly indexes: number;
}

export interface TransferPages<Item> {
  readonly nextPageToken: string | null;
  readonly transactions: Item[];
}

/**
 * Returns a function that reads one page of the transfers that an address sent or received, newest first.
 * `complete` adds what the rows lack. The function throws `NOT_FOUND` for an unknown chain, `INVALID_PARAMETER` for an invalid
 * page, `UNAVAILABLE` if no block of the chain is indexed.
 */
export function createReadPage<Row extends pg.QueryResultRow, Item>(
  pool: pg.Pool,
  chains: Chains,
  pageTokens: PageTokens,
  { name, statement, field, positionOf, indexes }: TransferList<Row>,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (args: TransfersArgs, work: Work) => Promise<TransferPages<Item>> {
  const read = preparedList<Row>(pool, name, statement, EVM_HEAD);
  const requireIndexed = createRequireIndexed({ pool });
  return async (args, work) => {
    const list = listOf(chains, args);
    const [chainId, address, startBlock, endBlock] = list;
    const page = await readListPage(pageTokens, {
      list: field,
      parameters: list,
      page: args,
      start: firstPosition(endBlock, indexes),
      async read(position) {
        const found = await read([chainId, bytea(address), ...position, bigint(startBlock), args.size + 1], work);
        if (found.rows.length === 0) await requireIndexed(chainId, work);
        return found;
      },
      positionOf: (row) => positionOf(row).map(String),
    });
    return { nextPageToken: page.nextPageToken, transactions: await complete(page.items, work) };
  };
}

/** The parameters that a page token is bound to: chain id, address, first block, end of the range. */
export function listOf(chains: Chains, args: TransfersArgs): readonly [string, string, string, string] {
  const chainId = String(chains.require(args.chainId).chainId);
  return [chainId, args.address, args.startBlock ?? "0", args.endBlock ?? MAX_BIGINT];
}

/** The position before the newest row below `endBlock`. */
export function firstPosition(endBlock: string, indexes: number): readonly string[] {
  return [bigint(endBlock), ...Array.from({ length: indexes }, () => "0")];
}
