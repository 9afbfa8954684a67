import type { Database } from "../../../core/database/database.ts";
import { EVM_HEAD } from "../../../core/database/database.ts";
import { dataOf, eventOf, topicOf } from "../../../core/formats/stored-logs.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { ascending, type Keyset } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { columns } from "../../shared/rows/text-rows.ts";
import type { EvmLog } from "./types.ts";

export interface LogStore {
  /** Logs of a transaction (`transactionKey`), in the order in which they were emitted. */
  ofTransaction(work: Work): NestedList<EvmLog>;
}

const COLUMNS = columns<EvmLog>(
  "chainId",
  "blockNumber",
  "logIndex",
  "address",
  "topic0",
  "topic1",
  "topic2",
  "topic3",
  "data",
);

/** Read once for each transaction. */
const TX_HASH = `(SELECT x.tx_hash FROM evm_transactions x WHERE x.chain_id = $1 AND x.block_number = k.block_number
    AND x.block_index = k.block_index) AS "txHash"`;

const OF_TRANSACTION = {
  name: "transaction-logs",
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  order: ascending({ log_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS}, ${TX_HASH} FROM evm_logs t WHERE t.chain_id = $1
    AND t.block_number = k.block_number AND t.block_index = k.block_index AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: (row: StoredLog) => [String(row.logIndex)],
};

/** A log as the statement returns it. Topics that it does not have are empty. */
type StoredLog = Omit<EvmLog, Topic> & Record<Topic, string>;
type Topic = "topic0" | "topic1" | "topic2" | "topic3";

const withPrefix = (hex: string | null): string | null => hex && `0x${hex}`;
const wholeTopic = (stored: string): string | null => withPrefix(topicOf(stored.slice(2)));

/** The log of a row, whose topics and data are in the form of `stored-logs.ts`. */
const wholeLog = (row: StoredLog): EvmLog => ({
  ...row,
  topic0: withPrefix(eventOf(row.topic0.slice(2))),
  topic1: wholeTopic(row.topic1),
  topic2: wholeTopic(row.topic2),
  topic3: wholeTopic(row.topic3),
  data: `0x${dataOf(row.data.slice(2))}`,
});

export function createLogStore({ pool }: Pick<Database, "pool">, tokens: PageTokens): LogStore {
  return { ofTransaction: createNestedList(pool, tokens, OF_TRANSACTION, async (rows) => rows.map(wholeLog)) };
}
