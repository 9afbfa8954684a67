import type { Chains } from "../../../core/chains.ts";
import { type Database, prepared } from "../../../core/database.ts";
import { type PageTokens, pageOf } from "../../../core/page.ts";
import { createKeyedRows } from "../../shared/keyed-rows.ts";
import { createNestedList, type NestedList } from "../../shared/nested-list.ts";
import { bigint, bytea, columns } from "../../shared/rows.ts";
import type { IcmEvent, IcmEventPage, IcmEventsArgs } from "./types.ts";

export type IcmEventKey = Pick<IcmEvent, "chainId" | "blockNumber" | "logIndex">;

/** An end of a message's way. */
export interface EndKey {
  readonly messageId: string;
  readonly direction: string;
}

export interface End extends EndKey {
  readonly event: IcmEvent;
}

export interface IcmEventStore {
  /** Of a message, on all chains that are served, oldest first. */
  page(args: IcmEventsArgs): Promise<IcmEventPage>;
  byKey(keys: readonly IcmEventKey[]): Promise<IcmEvent[]>;
  /** The first event at each of these ends, on whichever chain that is served. One statement. */
  ends(keys: readonly EndKey[]): Promise<End[]>;
  /** Of a transaction (chainId, blockNumber, blockIndex), in its order. */
  ofTransaction(): NestedList<IcmEvent>;
  /** Those of a transaction that send or receive a Teleporter message, in its order. */
  directedOfTransaction(): NestedList<IcmEvent>;
}

const COLUMNS = columns<IcmEvent>(
  "chainId",
  "blockNumber",
  "logIndex",
  "blockIndex",
  "blockTimestamp",
  "txHash",
  "event",
  "direction",
  "messageId",
  "blockchainId",
  "messenger",
  "messageNonce",
  "originSender",
  "destinationAddress",
  "requiredGasLimit",
);

const OLDEST_FIRST = "block_timestamp, chain_id, block_number, log_index";

export const OF_MESSAGE = `SELECT ${COLUMNS} FROM icm_events WHERE message_id = $1 AND chain_id = ANY ($2::bigint[])
    AND (${OLDEST_FIRST}) > ($3, $4, $5, $6) ORDER BY ${OLDEST_FIRST} LIMIT $7`;

export const ENDS = `SELECT item.* FROM unnest($1::bytea[], $2::text[]) AS k(message_id, direction), LATERAL (
    SELECT ${COLUMNS} FROM icm_events t WHERE t.message_id = k.message_id AND t.direction = k.direction
      AND t.chain_id = ANY ($3::bigint[]) ORDER BY ${OLDEST_FIRST} LIMIT 1
  ) item`;

const ofTransaction = (name: string, where = "") => ({
  name,
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  position: { log_index: "int" },
  start: ["-1"],
  select: `SELECT ${COLUMNS} FROM icm_events t WHERE t.chain_id = k.chain_id AND t.block_number = k.block_number
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
  const served = chains.all.map(({ chainId }) => chainId);
  const ofMessage = prepared<IcmEvent>(pool, "icm-events-of-message", OF_MESSAGE);
  const ends = prepared<IcmEvent>(pool, "icm-events-ends", ENDS);
  const list = async (rows: IcmEvent[]) => rows;
  return {
    async page({ messageId, pageToken, size }) {
      const [time = -1, chainId = 0, block = 0, index = 0] = tokens.read("icmEvents", [messageId], pageToken) ?? [];
      const rows = await ofMessage([bytea(messageId), served, time, chainId, block, index, size + 1]);
      const page = pageOf(rows, size, ({ blockTimestamp, chainId, blockNumber, logIndex }) =>
        tokens.sign("icmEvents", [messageId], [blockTimestamp, chainId, blockNumber, String(logIndex)]),
      );
      return { nextPageToken: page.nextPageToken, events: page.items };
    },
    byKey: createKeyedRows<IcmEvent, IcmEventKey>(pool, BY_KEY),
    async ends(keys) {
      const ids = keys.map(({ messageId }) => bytea(messageId));
      const rows = await ends([ids, keys.map(({ direction }) => direction), served]);
      return rows.map((event) => ({ messageId: event.messageId, direction: String(event.direction), event }));
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
