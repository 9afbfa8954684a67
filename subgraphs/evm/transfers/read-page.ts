import type pg from "pg";
import { EVM_HEAD } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { endsOfRange } from "../../shared/rows/keyset.ts";
import { createListReader, type ListSelect } from "../../shared/rows/list-reader.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import { rangeOf } from "../ranged-lists/range.ts";
import { type AddressStatementOptions, addressStatement, POSITION_AT } from "./address-statement.ts";
import type { TransfersArgs } from "./types.ts";

export interface TransferList<Row> {
  /** Name of the prepared statement. */
  readonly name: string;
  /** As `listOfAddress` makes it. */
  readonly list: ListSelect;
  /** Field of the Query type, to which cursors belong. */
  readonly field: string;
  /** Position of a row: its block number, then its other columns of the order. */
  readonly positionOf: (row: Row) => readonly [blockNumber: string, ...indexes: number[]];
}

/** The rows of a table that an address sent or received, as a list. */
export const listOfAddress = (options: AddressStatementOptions): ListSelect => ({
  order: options.order,
  positionAt: POSITION_AT,
  select: addressStatement(options),
});

/**
 * Returns a function that reads one page of the transfers that an address sent or received, newest first.
 * `complete` adds what the rows lack. The function throws `NOT_FOUND` for an unknown chain, `INVALID_PARAMETER` for an invalid
 * page, `UNAVAILABLE` if no block of the chain is indexed.
 */
export function createReadPage<Row extends pg.QueryResultRow, Item>(
  pool: StatementPool,
  chains: Chains,
  pageTokens: PageTokens,
  { name, list, field, positionOf }: TransferList<Row>,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (args: TransfersArgs, work: Work) => Promise<Page<Item>> {
  const rows = createListReader<Row>(pool, { ...list, name, head: EVM_HEAD });
  const requireIndexed = createRequireIndexed({ pool });
  return async (args, work) => {
    const parameters = listOf(chains, args);
    const [chainId, address, fromBlock, toBlock] = parameters;
    const ends = endsOfRange(list.order, fromBlock, toBlock);
    const values = ({ position, isBackward, limit }: PageFrom) => [
      chainId,
      bytea(address),
      ...position,
      isBackward ? toBlock : fromBlock,
      limit,
    ];
    const page = await readListPage<Row>(pageTokens, {
      list: field,
      parameters,
      page: args,
      ends,
      async read(from) {
        const found = await rows.read(values, from, work);
        if (found.rows.length === 0) await requireIndexed(chainId, work);
        return found;
      },
      count: () => rows.count(values, work, ends),
      positionOf: (row) => positionOf(row).map(String),
    });
    return page.withNodes(await complete(page.nodes, work));
  };
}

/** The parameters that a cursor is bound to: chain id, address, first block, end of the range. */
export function listOf(chains: Chains, args: TransfersArgs): readonly [string, string, string, string] {
  const chainId = String(chains.require(args.chainId).chainId);
  const [fromBlock, toBlock] = rangeOf(args.filter ?? {});
  return [chainId, args.address, fromBlock, toBlock];
}
