import { dataOf, eventOf, storedEvent } from "../../core/formats/stored-logs.ts";
import { SEND_WARP_MESSAGE, WARP_PRECOMPILE } from "../codec/log-data.ts";
import { createRowsOf, createStatement, type IndexPools, type Positioned } from "./statement.ts";

/** A log of an EVM chain, with the messages that its transaction sent. */
export interface IndexedLog {
  readonly address: Buffer;
  /** First topic; null for an anonymous event. */
  readonly topic: Buffer | null;
  readonly data: Buffer;
  /** Data of the `SendWarpMessage` logs that the contract `address` caused in the same transaction, in log order. */
  readonly sentData: readonly Buffer[];
}

/** Reads a log; null if it is not indexed. Made for one call: logs of one tick share one statement. */
export type Logs = (chainId: number, blockNumber: string, logIndex: number) => Promise<IndexedLog | null>;

interface Row extends Positioned {
  readonly address: Buffer;
  readonly topic0: Buffer;
  readonly data: Buffer;
  readonly sent_data: Buffer[] | null;
}

/**
 * The first indexed topic of a `SendWarpMessage` log is the sender. Topics and data are in the form of `stored-logs.ts`. The logs of a
 * transaction have consecutive indexes, so their number limits how many logs of the block are read. `LIMIT` makes PostgreSQL find the log
 * first.
 */
export const LOGS = `SELECT k.position, t.address, t.topic0, t.data, sent.data AS sent_data
  FROM unnest($2::bigint[], $3::int[]) WITH ORDINALITY AS k(block_number, log_index, position), LATERAL (
    SELECT address, topic0, data, block_index, (SELECT log_count FROM evm_transactions x
      WHERE x.chain_id = $1 AND x.block_number = k.block_number AND x.block_index = t.block_index) AS log_count
    FROM evm_logs t
    WHERE t.chain_id = $1 AND t.block_number = k.block_number AND t.log_index = k.log_index LIMIT 1
  ) t, LATERAL (
    SELECT array_agg(s.data ORDER BY s.log_index) AS data FROM evm_logs s
    WHERE s.chain_id = $1 AND s.block_number = k.block_number
      AND s.log_index > k.log_index - t.log_count AND s.log_index < k.log_index + t.log_count AND s.block_index = t.block_index
      AND s.address = '\\x${WARP_PRECOMPILE}' AND s.topic0 = '\\x${storedEvent(SEND_WARP_MESSAGE)}' AND s.topic1 = ltrim(t.address, '\\x00')
  ) sent`;

const fromHex = (hex: string): Buffer => Buffer.from(hex, "hex");
const dataFrom = (stored: Buffer): Buffer => fromHex(dataOf(stored.toString("hex")));

/** Returns a function that makes the reader of one call. */
export function createLogs({ evm }: Pick<IndexPools, "evm">): () => Logs {
  const statement = createStatement<Row>(evm, LOGS);
  return () => {
    const rowsOf = createRowsOf<readonly [chainId: number, blockNumber: string, logIndex: number], Row>(statement);
    return async (...key) => {
      const [row] = await rowsOf(...key);
      if (!row) return null;
      const { address, topic0, data, sent_data } = row;
      const event = eventOf(topic0.toString("hex"));
      const topic = event === null ? null : fromHex(event);
      return { address, topic, data: dataFrom(data), sentData: (sent_data ?? []).map(dataFrom) };
    };
  };
}
