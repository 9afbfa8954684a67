import { BadUpstreamData } from "../../../core/errors.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import { BalanceChanges } from "../store/balances.ts";
import type { At, Log } from "./block.ts";
import type { ChainRules } from "./chain-rules.ts";
import { type Row, type RowsOf } from "./columns.ts";
import {
  DEPOSIT_TOPIC,
  TRANSFER_BATCH_TOPIC,
  TRANSFER_SINGLE_TOPIC,
  TRANSFER_TOPIC,
  WITHDRAWAL_TOPIC,
} from "./event-topics.ts";
import { ICM_EVENTS, icmEventRow } from "./icm.ts";

const WORD = 64;

/** What the logs of a block say, gathered in one pass. */
export interface LogRows
  extends RowsOf<"evm_logs" | "erc20_transfers" | "erc721_transfers" | "erc1155_transfers" | "icm_events"> {}

/** A token of an ERC-721 or ERC-1155 contract. */
export interface NftItem {
  /** Hex without `0x`. */
  readonly address: string;
  readonly tokenId: string;
  readonly ercType: "ERC-721" | "ERC-1155";
}

export interface DecodedLogs {
  readonly rows: LogRows;
  /** Contracts (hex without `0x`) that emitted an ERC-20 transfer, and an NFT's, each once. */
  readonly tokens: readonly string[];
  readonly nftContracts: readonly string[];
  readonly nftItems: readonly NftItem[];
  readonly balances: ReturnType<BalanceChanges["all"]>;
}

interface Gathered {
  readonly at: At;
  readonly rules: ChainRules;
  readonly rows: { [Table in keyof LogRows]: Row[] };
  readonly tokens: Set<string>;
  readonly nfts: Map<string, NftItem>;
  readonly balances: BalanceChanges;
}

/** Rows of a block's logs, in their order. Throws `BadUpstreamData`. */
export function decodeLogs(rules: ChainRules, at: At, logs: readonly Log[]): DecodedLogs {
  const gathered: Gathered = {
    at,
    rules,
    rows: { evm_logs: [], erc20_transfers: [], erc721_transfers: [], erc1155_transfers: [], icm_events: [] },
    tokens: new Set(),
    nfts: new Map(),
    balances: new BalanceChanges(),
  };
  for (const log of logs) {
    gathered.rows.evm_logs.push(logRow(at, log));
    const [topic = ""] = log.topics;
    READERS[topic]?.(gathered, log);
    const icm = ICM_EVENTS[topic];
    const row = icm && icmEventRow(at, icm, log, rules.messengers);
    if (row) gathered.rows.icm_events.push(row);
  }
  const nftItems = [...gathered.nfts.values()];
  return {
    rows: gathered.rows,
    tokens: [...gathered.tokens],
    nftContracts: [...new Set(nftItems.map(({ address }) => address))],
    nftItems,
    balances: gathered.balances.all(),
  };
}

/** What is made of an event, by its first topic. A log that follows no standard is a log and nothing else. */
const READERS: Readonly<Record<string, (gathered: Gathered, log: Log) => void>> = {
  [TRANSFER_TOPIC]: (gathered, log) => {
    if (log.topics.length === 4) addErc721Transfer(gathered, log);
    else if (log.topics.length === 3 && log.data.length === WORD) addErc20Transfer(gathered, log);
  },
  [TRANSFER_SINGLE_TOPIC]: (gathered, log) => {
    if (log.topics.length === 4 && log.data.length === 2 * WORD)
      addErc1155Transfers(gathered, log, [word(log.data, 0)], [word(log.data, 1)]);
  },
  [TRANSFER_BATCH_TOPIC]: (gathered, log) => {
    const batch = log.topics.length === 4 ? batchOf(log.data) : null;
    if (batch) addErc1155Transfers(gathered, log, batch.ids, batch.values);
  },
  [DEPOSIT_TOPIC]: (gathered, log) => addWrapping(gathered, log, 1n),
  [WITHDRAWAL_TOPIC]: (gathered, log) => addWrapping(gathered, log, -1n),
};

/** The upper twelve bytes of an address in a topic mean nothing. */
const addressIn = ({ topics }: Log, index: number): string => (topics[index] as string).slice(24);

const word = (data: string, index: number): bigint => BigInt(`0x${data.slice(index * WORD, (index + 1) * WORD)}`);

function addErc20Transfer({ at, rows, tokens, balances }: Gathered, log: Log): void {
  const [from, to, value] = [addressIn(log, 1), addressIn(log, 2), word(log.data, 0)];
  tokens.add(log.address);
  balances.add(log.address, from, -value);
  balances.add(log.address, to, value);
  rows.erc20_transfers.push([
    ...transferPlace(at, log),
    pgBytes(from),
    pgBytes(to),
    pgBytes(log.address),
    value.toString(),
  ]);
}

function addErc721Transfer({ at, rows, nfts }: Gathered, log: Log): void {
  const tokenId = BigInt(`0x${log.topics[3]}`).toString();
  const [from, to] = [addressIn(log, 1), addressIn(log, 2)];
  addItem(nfts, { address: log.address, tokenId, ercType: "ERC-721" });
  rows.erc721_transfers.push([...transferPlace(at, log), pgBytes(from), pgBytes(to), pgBytes(log.address), tokenId]);
}

function addErc1155Transfers(
  { at, rows, nfts }: Gathered,
  log: Log,
  ids: readonly bigint[],
  values: readonly bigint[],
): void {
  const [chainId, number, logIndex, ...rest] = transferPlace(at, log) as [string, string, string, ...string[]];
  const parties = [1, 2, 3].map((index) => pgBytes(addressIn(log, index)));
  ids.forEach((id, index) => {
    const tokenId = id.toString();
    addItem(nfts, { address: log.address, tokenId, ercType: "ERC-1155" });
    const what = [pgBytes(log.address), tokenId, String(values[index])];
    rows.erc1155_transfers.push([chainId, number, logIndex, String(index), ...rest, ...parties, ...what]);
  });
}

function addItem(nfts: Map<string, NftItem>, item: NftItem): void {
  const key = `${item.address} ${item.ercType} ${item.tokenId}`;
  if (!nfts.has(key)) nfts.set(key, item);
}

/** A token that wraps the coin makes and unmakes itself by these events in place of transfers. */
function addWrapping({ rules, balances }: Gathered, log: Log, sign: bigint): void {
  if (!rules.wrappedNativeTokens.has(log.address) || log.topics.length !== 2 || log.data.length !== WORD) return;
  balances.add(log.address, addressIn(log, 1), sign * word(log.data, 0));
}

/** Ids and values of a batch: data that is exactly the ABI encoding of two lists of equal length; else null. */
function batchOf(data: string): { readonly ids: bigint[]; readonly values: bigint[] } | null {
  const words = data.length / WORD;
  if (!Number.isInteger(words) || words < 4 || words % 2 !== 0) return null;
  const count = (words - 4) / 2;
  const isCanonical =
    word(data, 0) === 64n &&
    word(data, 1) === BigInt(96 + 32 * count) &&
    word(data, 2) === BigInt(count) &&
    word(data, 3 + count) === BigInt(count);
  if (!isCanonical) return null;
  const list = (from: number) => Array.from({ length: count }, (_, index) => word(data, from + index));
  return { ids: list(3), values: list(4 + count) };
}

/** What the rows of all transfers begin with. */
function transferPlace(at: At, { index, transaction }: Log): Row {
  return [at.chainId, at.number, index, transaction.index, at.timestamp, at.hash, transaction.hash];
}

function logRow(at: At, { index, transaction, address, topics, data }: Log): Row {
  if (topics.length > 4) throw new BadUpstreamData(`a log has ${topics.length} topics`);
  const topic = (position: number) => (position < topics.length ? pgBytes(topics[position] as string) : null);
  return [
    at.chainId,
    at.number,
    index,
    transaction.index,
    transaction.hash,
    pgBytes(address),
    topic(0),
    topic(1),
    topic(2),
    topic(3),
    pgBytes(data),
  ];
}
