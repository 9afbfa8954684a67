import { prepared, primaryHead } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import type { ListPage, PageFrom } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { sorted } from "../../shared/rows/keyset.ts";
import { createListReader, exactly, type ListReader, type ListReaderOptions } from "../../shared/rows/list-reader.ts";
import { endsOfTimes, TIME_POSITION_AT, timedPositions, timedValues, timeOrder } from "./by-time.ts";
import type { TransactionFilter } from "./filter.ts";
import { pageKindOf, pageValues } from "./positions.ts";
import { pageStatement, positionsStatement, TRANSACTION_ORDER, type TransactionRow, timedStatement } from "./rows.ts";

/** How the pages of one list of transactions are read. */
export type TransactionList = Pick<ListPage<TransactionRow>, "ends" | "read" | "count" | "positionOf">;

/** Every transaction has its position in the chain's order, also a repeated one, which has no row of its own. */
const COUNT_OF_CHAIN = `SELECT h.tx_count - (
    SELECT count(*) FROM primary_repeated_transactions r WHERE r.network_id = $1 AND r.chain = $2
  ) AS count FROM primary_heads h WHERE h.network_id = $1 AND h.chain = $2`;

/** Returns a function that finds the list of a filter. Each list is read by one statement. */
export function createTransactionLists(pool: StatementPool) {
  const readers = new Map<string, ListReader<TransactionRow>>();
  const countOfChain = prepared<{ count: string }>(pool, "primary-transactions-of-chain-exact-count", COUNT_OF_CHAIN);
  const readerOf = (options: ListReaderOptions) => {
    const known = readers.get(options.name) ?? createListReader<TransactionRow>(pool, options);
    readers.set(options.name, known);
    return known;
  };
  return (networkId: string, filter: TransactionFilter, work: Work): TransactionList => {
    const kind = pageKindOf(filter);
    if (kind.source === "chain" && kind.isFiltered) {
      const reader = readerOf(timedOptions(filter));
      const values = (from: PageFrom) => timedValues(networkId, filter, from);
      const ends = endsOfTimes(filter);
      return {
        ends,
        read: (from) => reader.read(values, from, work),
        count: () => reader.count(values, work, ends),
        positionOf: ({ blockTimestamp, txSeq }) => [blockTimestamp, txSeq],
      };
    }
    const reader = readerOf(chainOptions(filter));
    const values = ({ position, limit }: PageFrom) => [
      networkId,
      filter.chain,
      ...position,
      limit,
      ...pageValues(filter, limit),
    ];
    return {
      ends: reader.ends,
      read: (from) => reader.read(values, from, work),
      async count() {
        if (kind.source !== "chain") return reader.count(values, work);
        const [row] = await countOfChain([networkId, filter.chain], work);
        return exactly(row?.count ?? 0);
      },
      positionOf: ({ txSeq }) => [txSeq],
    };
  };
}

/** Lists in the order of the chain. */
function chainOptions(filter: TransactionFilter): ListReaderOptions {
  const kind = pageKindOf(filter);
  return {
    name: `primary-transactions-of-${kind.source}-${kind.sortOrder}${kind.isFiltered ? "-filtered" : ""}`,
    order: sorted(TRANSACTION_ORDER, kind.sortOrder),
    positionAt: 3,
    select: (keyset) => pageStatement(kind, keyset),
    selectCounted: (keyset) => positionsStatement(kind, keyset),
    head: primaryHead("$2"),
  };
}

/** Lists of a chain by time. */
function timedOptions({ txTypes, sortOrder }: TransactionFilter): ListReaderOptions {
  const ofTypes = txTypes !== null;
  return {
    name: `primary-transactions-by-time-${sortOrder}${ofTypes ? "-of-types" : ""}`,
    order: timeOrder(sortOrder),
    positionAt: TIME_POSITION_AT,
    select: (keyset) => timedStatement(ofTypes, keyset),
    selectCounted: (keyset) => timedPositions(ofTypes, keyset),
    head: primaryHead("$2"),
  };
}
