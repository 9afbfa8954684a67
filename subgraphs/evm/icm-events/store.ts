import { rowsOfEach } from "../../../core/database/by-partition.ts";
import { type Database, EVM_HEAD, type PreparedStatement, prepared } from "../../../core/database/database.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { allColumns, bigint, bytea } from "../../shared/rows/text-rows.ts";
import type { IcmEvent, IcmEventPage, IcmEventsArgs } from "./types.ts";

export type IcmEventKey = Pick<IcmEvent, "chainId" | "blockNumber" | "logIndex">;

/** One end of a message: `SOURCE_TRANSACTION` or `DESTINATION_TRANSACTION`. */
export interface MessageEndKey {
  readonly messageId: string;
  readonly direction: string;
}

type DirectedIcmEvent = IcmEvent & MessageEndKey;

export interface IcmEventStore {
  /**
   * Reads a page of a message's events on all configured chains, oldest first, in one statement for each chain. Throws `INVALID_PARAMETER`
   * for an invalid page.
   */
  page(args: IcmEventsArgs, work: Work): Promise<IcmEventPage>;
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

/** The events of a message on chain `$1` that can be on a page. */
export const OF_MESSAGE = `SELECT ${COLUMNS} FROM icm_events WHERE chain_id = $1 AND message_id = $2
    AND (${OLDEST_FIRST}) > ($3, $4, $5, $6) ORDER BY ${OLDEST_FIRST} LIMIT $7`;

/** The first event of each message and direction on chain `$1`. */
export const FIRST = `SELECT item.* FROM unnest($2::bytea[], $3::text[]) AS k(message_id, direction), LATERAL (
    SELECT ${COLUMNS} FROM icm_events t WHERE t.chain_id = $1 AND t.message_id = k.message_id AND t.direction = k.direction
    ORDER BY ${OLDEST_FIRST} LIMIT 1
  ) item`;

/** How far chains are indexed. Their table has no partitions. */
const HEADS = `SELECT chain_id AS "chainId", block_number AS head FROM chain_heads WHERE chain_id = ANY ($1::bigint[])`;

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
  position: { log_index: "int" },
  start: ["-1"],
  head: EVM_HEAD,
  select: `SELECT ${COLUMNS} FROM icm_events t WHERE t.chain_id = $1 AND t.block_number = k.block_number
    AND t.block_index = k.block_index AND t.log_index > k.log_index ${where} ORDER BY t.log_index`,
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
  const chainIds = chains.all.map(({ chainId }) => String(chainId));
  const chainHeads = prepared<{ chainId: string; head: string }>(pool, "icm-events-heads", HEADS);
  /** The rows of a statement on all configured chains, oldest first. */
  const onAllChains = async <Row extends IcmEvent>(
    statement: PreparedStatement<Row>,
    values: readonly unknown[],
    work: Work,
  ) => {
    const valuesOfEach = chains.all.map(({ chainId }) => [chainId, ...values]);
    return (await rowsOfEach(statement, valuesOfEach, work)).flat().sort(oldestFirst);
  };
  const ofMessage = prepared<IcmEvent>(pool, "icm-events-of-message", OF_MESSAGE);
  const first = prepared<DirectedIcmEvent>(pool, "icm-events-first", FIRST);
  const list = async (rows: IcmEvent[]) => rows;
  return {
    async page({ messageId, pageToken, size }, work) {
      const page = await readListPage(tokens, {
        list: "icmEvents",
        // The heads of a token are those of these chains.
        parameters: [messageId, chainIds],
        page: { pageToken, size },
        start: ["-1", "0", "0", "0"],
        async read(position) {
          // Read before the events, so that the page has all events up to these blocks.
          const found = new Map((await chainHeads([chainIds], work)).map(({ chainId, head }) => [chainId, head]));
          const rows = await onAllChains(ofMessage, [bytea(messageId), ...position, size + 1], work);
          return { rows, heads: () => chainIds.map((chainId) => found.get(chainId) ?? "-1") };
        },
        positionOf: ({ blockTimestamp, chainId, blockNumber, logIndex }) => [
          blockTimestamp,
          chainId,
          blockNumber,
          String(logIndex),
        ],
      });
      return { nextPageToken: page.nextPageToken, events: page.items };
    },
    byKey: createKeyedRows<IcmEvent, IcmEventKey>(pool, BY_KEY),
    async first(keys, work) {
      const messageIds = keys.map(({ messageId }) => bytea(messageId));
      const rows = await onAllChains(first, [messageIds, keys.map(({ direction }) => direction)], work);
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
