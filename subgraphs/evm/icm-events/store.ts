import { rowsOfEach } from "../../../core/database/by-partition.ts";
import { type Database, EVM_HEAD, type PreparedStatement, prepared } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { ascending, type Keyset } from "../../shared/rows/keyset.ts";
import {
  COUNT_LIMIT,
  countStatement,
  directedName,
  inBothDirections,
  type ListSelect,
  selectOf,
  totalOf,
} from "../../shared/rows/list-reader.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { allColumns, bigint, bytea } from "../../shared/rows/text-rows.ts";
import { createHeadNumbers } from "../chains/heads.ts";
import { createUnindexedFailures, type ListedChains } from "../ranged-lists/unindexed-chains.ts";
import type { IcmEvent } from "./types.ts";

export type IcmEventKey = Pick<IcmEvent, "chainId" | "blockNumber" | "logIndex">;

/** One end of a message: `SOURCE_TRANSACTION` or `DESTINATION_TRANSACTION`. */
export interface MessageEndKey {
  readonly messageId: string;
  readonly direction: string;
}

type DirectedIcmEvent = IcmEvent & MessageEndKey;

/** The events of a message on some chains, in a range of times in seconds: start inclusive, end exclusive. */
export interface MessageEvents extends ListedChains {
  readonly messageId: string;
  readonly times: readonly [from: string, to: string];
}

export interface IcmEventStore {
  /**
   * Reads a page of a message's events, oldest first, in one statement for each chain and one for their heads. Throws `INVALID_PARAMETER` for an
   * invalid page, and `UNAVAILABLE` like `createUnindexedFailures`.
   */
  page(list: MessageEvents, page: PageRange, work: Work): Promise<Page<IcmEvent>>;
  byKey(keys: readonly IcmEventKey[], work: Work): Promise<IcmEvent[]>;
  /** Reads the first event with the message and direction of each key, on any configured chain. One statement for each chain. */
  first(keys: readonly MessageEndKey[], work: Work): Promise<DirectedIcmEvent[]>;
  /** Events in a transaction (`transactionKey`), in log order. */
  ofTransaction(work: Work): NestedList<IcmEvent>;
  /** Events in a transaction that send or receive a Teleporter message, in log order. */
  directedOfTransaction(work: Work): NestedList<IcmEvent>;
}

const COLUMNS = allColumns("icm_events");

const OLDEST_FIRST = "block_timestamp, chain_id, block_number, log_index";
const ORDER = ascending({ block_timestamp: "bigint", chain_id: "bigint", block_number: "bigint", log_index: "int" });

/** The events of a message on chain `$1` that can be on a page. `$8` is the end of the range of times in the direction of the page. */
export const OF_MESSAGE: ListSelect = {
  order: ORDER,
  positionAt: 3,
  select: ({
    after,
    orderBy,
    isBackward,
  }) => `SELECT ${COLUMNS} FROM icm_events t WHERE t.chain_id = $1 AND t.message_id = $2
    AND ${after()} AND t.block_timestamp ${isBackward ? ">=" : "<"} $8::bigint ORDER BY ${orderBy()} LIMIT $7`,
};

/** The first event of each message and direction on chain `$1`. */
export const FIRST = `SELECT item.* FROM unnest($2::bytea[], $3::text[]) AS k(message_id, direction), LATERAL (
    SELECT ${COLUMNS} FROM icm_events t WHERE t.chain_id = $1 AND t.message_id = k.message_id AND t.direction = k.direction
    ORDER BY ${OLDEST_FIRST} LIMIT 1
  ) item`;

/** The position before all events with this time or a later one. */
const beginningOf = (time: string): string[] => [time, "-1", "-1", "-1"];

/** Compares events in the order of `OLDEST_FIRST`. */
function oldestFirst(a: IcmEvent, b: IcmEvent): number {
  return (
    Number(a.blockTimestamp) - Number(b.blockTimestamp) ||
    Number(a.chainId) - Number(b.chainId) ||
    Number(a.blockNumber) - Number(b.blockNumber) ||
    a.logIndex - b.logIndex
  );
}

const ofTransaction = (name: string, where = "") => ({
  name,
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  order: ascending({ log_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM icm_events t WHERE t.chain_id = $1
    AND t.block_number = k.block_number AND t.block_index = k.block_index AND ${after()} ${where} ORDER BY ${orderBy()}`,
  positionOf: (row: IcmEvent) => [String(row.logIndex)],
});

const BY_KEY = {
  name: "icm-events-by-key",
  table: "icm_events",
  columns: COLUMNS,
  key: { chain_id: "bigint", block_number: "bigint", log_index: "int" },
  valuesOf: ({ chainId, blockNumber, logIndex }: IcmEventKey) => [chainId, bigint(blockNumber), logIndex],
};

export function createIcmEventStore(
  { pool }: Pick<Database, "pool">,
  chains: Chains,
  tokens: PageTokens,
): IcmEventStore {
  const allChainIds = chains.all.map(({ chainId }) => String(chainId));
  const readHeads = createHeadNumbers({ pool });
  const unindexedFailures = createUnindexedFailures({ pool });
  /** The rows of a statement on each of the chains. */
  const onChains = async <Row>(
    chainIds: readonly string[],
    statement: PreparedStatement<Row>,
    values: readonly unknown[],
    work: Work,
  ) => {
    const valuesOfEach = chainIds.map((chainId) => [chainId, ...values]);
    return (await rowsOfEach(statement, valuesOfEach, work)).flat();
  };
  const ofMessage = inBothDirections((isBackward) =>
    prepared<IcmEvent>(pool, directedName("icm-events-of-message", isBackward), selectOf(OF_MESSAGE, isBackward)),
  );
  const counts = prepared<{ count: number }>(
    pool,
    "icm-events-of-message-count",
    countStatement(selectOf(OF_MESSAGE, false)),
  );
  const first = prepared<DirectedIcmEvent>(pool, "icm-events-first", FIRST);
  const list = async (rows: IcmEvent[]) => rows;
  return {
    page({ messageId, times: [from, to], ...chains }, page, work) {
      const { chainIds } = chains;
      const values = ({ position, limit, isBackward }: PageFrom) => [
        bytea(messageId),
        ...position,
        limit,
        isBackward ? from : to,
      ];
      const ends = { first: beginningOf(from), last: beginningOf(to) };
      return readListPage(tokens, {
        list: "icmEvents",
        // The heads of a cursor are those of these chains.
        parameters: [messageId, chainIds, from, to],
        page,
        ends,
        async read(place) {
          // Read before the events, so that the page has all events up to these blocks.
          const headsOf = await readHeads(chainIds, work);
          const [failure] = await unindexedFailures([chains], headsOf, work);
          if (failure) throw failure;
          const rows = (await onChains(chainIds, ofMessage(place.isBackward), values(place), work)).sort(oldestFirst);
          if (place.isBackward) rows.reverse();
          return {
            rows: rows.slice(0, place.limit),
            heads: () => headsOf(chainIds),
          };
        },
        async count() {
          const whole = { position: ends.first, limit: COUNT_LIMIT, isBackward: false };
          const ofChains = await onChains(chainIds, counts, values(whole), work);
          return totalOf(ofChains.reduce((sum, { count }) => sum + count, 0));
        },
        positionOf: ({ blockTimestamp, chainId, blockNumber, logIndex }) => [
          blockTimestamp,
          chainId,
          blockNumber,
          String(logIndex),
        ],
      });
    },
    byKey: createKeyedRows<IcmEvent, IcmEventKey>(pool, BY_KEY),
    async first(keys, work) {
      const messageIds = keys.map(({ messageId }) => bytea(messageId));
      const values = [messageIds, keys.map(({ direction }) => direction)];
      const rows = (await onChains(allChainIds, first, values, work)).sort(oldestFirst);
      // Later ones replace earlier ones with the same key.
      return [...new Map(rows.reverse().map((row) => [`${row.messageId} ${row.direction}`, row])).values()];
    },
    ofTransaction: createNestedList(pool, tokens, ofTransaction("transaction-icm-events"), list),
    directedOfTransaction: createNestedList(
      pool,
      tokens,
      ofTransaction("transaction-directed-icm-events", "AND t.direction IS NOT NULL"),
      list,
    ),
  };
}
