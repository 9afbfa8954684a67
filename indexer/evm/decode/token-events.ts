import {
  DEPOSIT_TOPIC,
  TRANSFER_BATCH_TOPIC,
  TRANSFER_SINGLE_TOPIC,
  TRANSFER_TOPIC,
  WITHDRAWAL_TOPIC,
} from "./event-topics.ts";
import type { LogCollection, NftItem } from "./log-rows.ts";
import type { BlockColumns, Log } from "./shared-columns.ts";

/** Hex digits of an ABI word. */
const WORD = 64;

/** Decoders of token events by first topic. A log that does not follow the standard adds nothing. */
export const TOKEN_EVENTS: Readonly<Record<string, (collection: LogCollection, log: Log) => void>> = {
  [TRANSFER_TOPIC]: (collection, log) => {
    if (log.topics.length === 4) addErc721Transfer(collection, log);
    else if (log.topics.length === 3 && log.data.length === WORD) addErc20Transfer(collection, log);
  },
  [TRANSFER_SINGLE_TOPIC]: (collection, log) => {
    if (log.topics.length === 4 && log.data.length === 2 * WORD)
      addErc1155Transfers(collection, log, [word(log.data, 0)], [word(log.data, 1)]);
  },
  [TRANSFER_BATCH_TOPIC]: (collection, log) => {
    const batch = log.topics.length === 4 ? decodeBatch(log.data) : null;
    if (batch) addErc1155Transfers(collection, log, batch.ids, batch.values);
  },
  [DEPOSIT_TOPIC]: (collection, log) => addWrapping(collection, log, 1n),
  [WITHDRAWAL_TOPIC]: (collection, log) => addWrapping(collection, log, -1n),
};

/** The address in a topic; the upper twelve bytes are ignored. */
const addressIn = ({ topics }: Log, index: number): string => (topics[index] as string).slice(24);

const word = (data: string, index: number): bigint => BigInt(`0x${data.slice(index * WORD, (index + 1) * WORD)}`);

function addErc20Transfer({ columns, rows, tokens, balances }: LogCollection, log: Log): void {
  const from = addressIn(log, 1);
  const to = addressIn(log, 2);
  const value = word(log.data, 0);
  tokens.add(log.address);
  balances.add(log.address, from, -value);
  balances.add(log.address, to, value);
  // The columns of `transferColumns`, written out: most rows are of this table.
  rows.erc20_transfers.push({
    block_number: columns.number,
    log_index: log.index,
    block_index: log.transaction.index,
    block_timestamp: columns.timestamp,
    block_hash: columns.hash,
    tx_hash: log.transaction.hash,
    from_address: from,
    to_address: to,
    token_address: log.address,
    value,
  });
}

function addErc721Transfer({ columns, rows, nfts }: LogCollection, log: Log): void {
  const tokenId = BigInt(`0x${log.topics[3]}`).toString();
  addItem(nfts, { address: log.address, tokenId, ercType: "ERC-721" });
  rows.erc721_transfers.push({
    ...transferColumns(columns, log),
    from_address: addressIn(log, 1),
    to_address: addressIn(log, 2),
    token_id: tokenId,
  });
}

function addErc1155Transfers(
  { columns, rows, nfts }: LogCollection,
  log: Log,
  ids: readonly bigint[],
  values: readonly bigint[],
): void {
  const shared = {
    ...transferColumns(columns, log),
    operator_address: addressIn(log, 1),
    from_address: addressIn(log, 2),
    to_address: addressIn(log, 3),
  };
  ids.forEach((id, index) => {
    const tokenId = id.toString();
    addItem(nfts, { address: log.address, tokenId, ercType: "ERC-1155" });
    rows.erc1155_transfers.push({ ...shared, batch_index: index, token_id: tokenId, value: values[index] as bigint });
  });
}

function addItem(nfts: Map<string, NftItem>, item: NftItem): void {
  const key = `${item.address} ${item.ercType} ${item.tokenId}`;
  if (!nfts.has(key)) nfts.set(key, item);
}

/** Contracts that wrap the native token mint and burn with Deposit and Withdrawal instead of Transfer. */
function addWrapping({ rules, balances }: LogCollection, log: Log, sign: bigint): void {
  if (!rules.wrappedNativeTokens.has(log.address) || log.topics.length !== 2 || log.data.length !== WORD) return;
  balances.add(log.address, addressIn(log, 1), sign * word(log.data, 0));
}

/** Ids and values of a batch; null unless the data is exactly the ABI encoding of two lists of equal length. */
function decodeBatch(data: string): { readonly ids: bigint[]; readonly values: bigint[] } | null {
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

/** The columns of every transfer table. */
const transferColumns = (columns: BlockColumns, { index, transaction, address }: Log) => ({
  block_number: columns.number,
  log_index: index,
  block_index: transaction.index,
  block_timestamp: columns.timestamp,
  block_hash: columns.hash,
  tx_hash: transaction.hash,
  token_address: address,
});
