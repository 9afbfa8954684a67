import type { Database } from "../../../core/database/database.ts";
import { EVM_HEAD } from "../../../core/database/database.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { ascending, descending, type Keyset } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { bigint, columns } from "../../shared/rows/text-rows.ts";
import { type AddressColumns, withRichAddresses } from "../addresses/named-addresses.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import type { TransferKey } from "../erc20-transfers/store.ts";
import { type AddressLists, createAddressLists } from "../ranged-lists/address-lists.ts";
import { createRangedList, type RangedList } from "../ranged-lists/ranged-lists.ts";
import { rangedSelect } from "../ranged-lists/ranged-select.ts";
import { createReadPage, listOfAddress, type TransferList } from "../transfers/read-page.ts";
import { createListKind, type ListKind, type ListKindOptions } from "../transfers/whole-lists.ts";
import type { Erc1155Transfer, Erc1155TransfersArgs } from "./types.ts";

export interface BatchTransferKey extends TransferKey {
  readonly batchIndex: number;
}

export interface Erc1155TransferStore {
  /**
   * Reads a page of the transfers from or to an address, newest first, in two statements. Throws `NOT_FOUND` for an unknown
   * chain, `INVALID_PARAMETER` for an invalid page.
   */
  page(args: Erc1155TransfersArgs, work: Work): Promise<Page<Erc1155Transfer>>;
  byKey(keys: readonly BatchTransferKey[], work: Work): Promise<Erc1155Transfer[]>;
  /** Transfers in a transaction (`transactionKey`), in log order. */
  ofTransaction(work: Work): NestedList<Erc1155Transfer>;
  /** All transfers in a transaction (`transactionKey`), in log order. */
  readonly allOfTransaction: ListKind<Erc1155Transfer>;
  /** Transfers from or to an address, newest first. */
  ofAddress(work: Work): AddressLists<Erc1155Transfer>;
  /** Transfers of a collection (address as BYTEA), newest first. */
  ofCollection(work: Work): RangedList<Erc1155Transfer>;
  /** Transfers of a token (address as BYTEA, token id), newest first. */
  ofToken(work: Work): RangedList<Erc1155Transfer>;
}

type AddressField = "from" | "to";

/** A transfer as statements return it: sender and recipient are plain addresses. */
type Erc1155TransferRow = Omit<Erc1155Transfer, AddressField> & Record<AddressField, string>;

const COLUMNS = columns<Erc1155TransferRow>(
  "chainId",
  "blockNumber",
  "blockTimestamp",
  "blockHash",
  "txHash",
  "logIndex",
  "batchIndex",
  "operator",
  "from",
  "to",
  "tokenAddress",
  "tokenId",
  "value",
);

const ORDER = descending({ block_number: "bigint", log_index: "int", batch_index: "int" });

const TABLE = { table: "erc1155_transfers", columns: COLUMNS, order: ORDER };

const positionOf = ({ blockNumber, logIndex, batchIndex }: Erc1155TransferRow) => [
  blockNumber,
  String(logIndex),
  String(batchIndex),
];

const OF_COLLECTION = {
  name: "collection-erc1155-transfers",
  select: rangedSelect({
    ...TABLE,
    key: { token_address: "bytea" },
    parts: [{ where: "t.token_address = k.token_address" }],
  }),
  positionOf,
};

const OF_TOKEN = {
  name: "token-erc1155-transfers",
  select: rangedSelect({
    ...TABLE,
    key: { token_address: "bytea", token_id: "numeric" },
    parts: [{ where: "t.token_address = k.token_address AND t.token_id = k.token_id" }],
  }),
  positionOf,
};

/** A page of the transfers that an address sent or received. */
export const OF_ADDRESS = listOfAddress(TABLE);

const PAGE: TransferList<Erc1155TransferRow> = {
  name: "erc1155-transfers-of-address",
  list: OF_ADDRESS,
  field: "erc1155Transfers",
  positionOf: ({ blockNumber, logIndex, batchIndex }) => [blockNumber, logIndex, batchIndex],
};

const OF_TRANSACTION = {
  name: "transaction-erc1155-transfers",
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  order: ascending({ log_index: "int", batch_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM erc1155_transfers t WHERE t.chain_id = $1
    AND t.block_number = k.block_number AND t.block_index = k.block_index AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: (row: Erc1155TransferRow) => [String(row.logIndex), String(row.batchIndex)],
};

/** Parameters and rows of the statement for all in a transaction. */
const WHOLE: ListKindOptions<Erc1155TransferRow> = {
  ...OF_TRANSACTION,
  name: "whole-erc1155-transfers",
  addresses: ["from", "to"],
};

const BY_KEY = {
  name: "erc1155-transfers-by-key",
  table: "erc1155_transfers",
  columns: COLUMNS,
  key: { chain_id: "bigint", block_number: "bigint", log_index: "int", batch_index: "int" },
  valuesOf: (key: BatchTransferKey) => [key.chainId, bigint(key.blockNumber), key.logIndex, key.batchIndex],
};

export function createErc1155TransferStore(
  { pool }: Pick<Database, "pool">,
  chains: Chains,
  pageTokens: PageTokens,
  erc20Tokens: Erc20TokenStore,
): Erc1155TransferStore {
  const byKey = createKeyedRows<Erc1155TransferRow, BatchTransferKey>(pool, BY_KEY);
  const complete = (
    rows: readonly Erc1155TransferRow[],
    work: Work,
    tokens: Pick<Erc20TokenStore, "among"> = erc20Tokens,
  ) => withRichAddresses(rows, tokens, withAddresses, work);
  return {
    page: createReadPage(pool, chains, pageTokens, PAGE, complete),
    byKey: async (keys, work) => complete(await byKey(keys, work), work),
    ofTransaction: createNestedList(pool, pageTokens, OF_TRANSACTION, complete),
    allOfTransaction: createListKind(pool, WHOLE, erc20Tokens, complete),
    ofAddress: createAddressLists(
      { pool },
      pageTokens,
      { name: "address-erc1155-transfers", table: TABLE, positionOf },
      complete,
    ),
    ofCollection: createRangedList({ pool }, pageTokens, OF_COLLECTION, complete),
    ofToken: createRangedList({ pool }, pageTokens, OF_TOKEN, complete),
  };
}

const withAddresses = ({ from, to, ...transfer }: Erc1155TransferRow, columns: AddressColumns): Erc1155Transfer => ({
  ...transfer,
  from: columns.from(from).rich,
  to: columns.to(to).rich,
});
