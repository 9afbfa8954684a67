import type { Database } from "../../../core/database/database.ts";
import { EVM_HEAD } from "../../../core/database/database.ts";
import { dataOf, eventOf, storedEvent, storedTopic, topicOf } from "../../../core/formats/stored-logs.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { lazyLoaders } from "../../shared/request-context.ts";
import { ascending, descending, type Keyset } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { columns } from "../../shared/rows/text-rows.ts";
import { hashOf, rangedSelect, recheck } from "../ranged-lists/ranged-select.ts";
import type { ArgumentTopic, EvmLog } from "./types.ts";

export interface LogStore {
  /** Logs of a transaction (`transactionKey`), in the order in which they were emitted. */
  ofTransaction(work: Work): NestedList<EvmLog>;
  /** Logs of a contract (address as BYTEA), newest first. The key has the range of blocks and times. */
  ofContract(work: Work): NestedList<EvmLog>;
  /** Logs of a contract with a first topic (`topicParameter`), newest first. */
  ofContractEvent(work: Work): NestedList<EvmLog>;
  /** Logs of a contract with a first topic and another one (`argumentParameter`), newest first. */
  ofContractArgument(work: Work): Readonly<Record<ArgumentTopic, NestedList<EvmLog>>>;
}

/** The first topic of logs (`0x` hex) as a part of a list's key. */
export const topicParameter = (topic0: string): string => `\\x${storedEvent(topic0.slice(2))}`;

/** Another topic of logs (`0x` hex) as a part of a list's key. */
export const argumentParameter = (topic: string): string => `\\x${storedTopic(topic.slice(2))}`;

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

/** Logs of contracts, each with the hash of its transaction. `where` compares `t` with the columns of the key. */
const listOf = (name: string, key: readonly string[], where: string) => ({
  name,
  ...rangedSelect({
    table: "evm_logs",
    columns: `${COLUMNS}, (SELECT x.tx_hash FROM evm_transactions x WHERE x.chain_id = $1
      AND x.block_number = t.block_number AND x.block_index = t.block_index) AS "txHash"`,
    order: descending({ block_number: "bigint", log_index: "int" }),
    key: Object.fromEntries(key.map((column) => [column, "bytea"])),
    parts: [{ where }],
  }),
  positionOf: ({ blockNumber, logIndex }: StoredLog) => [blockNumber, String(logIndex)],
});

const OF_CONTRACT = listOf("contract-logs", ["address"], "t.address = k.address");
const OF_CONTRACT_EVENT = listOf(
  "contract-event-logs",
  ["address", "topic0"],
  "t.address = k.address AND t.topic0 = k.topic0",
);

/** The index of this topic has the same expression and condition. */
function listOfArgument(topic: ArgumentTopic) {
  const key = ["address", "topic0", topic];
  const hash = (row: string) => hashOf(key.map((column) => `${row}.${column}`));
  const isSame = recheck(key.map((column) => `t.${column} = k.${column}`));
  return listOf(`contract-${topic}-logs`, key, `${hash("t")} = ${hash("k")} AND t.${topic} <> '' AND ${isSame}`);
}

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
  const complete = async (rows: StoredLog[]) => rows.map(wholeLog);
  const ofArgument = (topic: ArgumentTopic) => createNestedList(pool, tokens, listOfArgument(topic), complete);
  return {
    ofTransaction: createNestedList(pool, tokens, OF_TRANSACTION, complete),
    ofContract: createNestedList(pool, tokens, OF_CONTRACT, complete),
    ofContractEvent: createNestedList(pool, tokens, OF_CONTRACT_EVENT, complete),
    ofContractArgument: lazyLoaders({
      topic1: ofArgument("topic1"),
      topic2: ofArgument("topic2"),
      topic3: ofArgument("topic3"),
    }),
  };
}
