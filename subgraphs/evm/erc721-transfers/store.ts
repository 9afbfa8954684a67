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
import type { Erc721Transfer, Erc721TransfersArgs } from "./types.ts";

export interface Erc721TransferStore {
  /**
   * Reads a page of the transfers from or to an address, newest first, in two statements. Throws `NOT_FOUND` for an unknown
   * chain, `INVALID_PARAMETER` for an invalid page.
   */
  page(args: Erc721TransfersArgs, work: Work): Promise<Page<Erc721Transfer>>;
  byKey(keys: readonly TransferKey[], work: Work): Promise<Erc721Transfer[]>;
  /** Transfers in a transaction (`transactionKey`), in log order. */
  ofTransaction(work: Work): NestedList<Erc721Transfer>;
  /** All transfers in a transaction (`transactionKey`), in log order. */
  readonly allOfTransaction: ListKind<Erc721Transfer>;
  /** Transfers from or to an address, newest first. */
  ofAddress(work: Work): AddressLists<Erc721Transfer>;
  /** Transfers of a collection (address as BYTEA), newest first. */
  ofCollection(work: Work): RangedList<Erc721Transfer>;
  /** Transfers of a token (address as BYTEA, token id), newest first. */
  ofToken(work: Work): RangedList<Erc721Transfer>;
}

type AddressField = "from" | "to";

/** A transfer as statements return it: sender and recipient are plain addresses. */
type Erc721TransferRow = Omit<Erc721Transfer, AddressField> & Record<AddressField, string>;

const COLUMNS = columns<Erc721TransferRow>(
  "chainId",
  "blockNumber",
  "blockTimestamp",
  "blockHash",
  "txHash",
  "logIndex",
  "from",
  "to",
  "tokenAddress",
  "tokenId",
);

const ORDER = descending({ block_number: "bigint", log_index: "int" });

const TABLE = { table: "erc721_transfers", columns: COLUMNS, order: ORDER };

const positionOf = ({ blockNumber, logIndex }: Erc721TransferRow) => [blockNumber, String(logIndex)];

const OF_COLLECTION = {
  name: "collection-erc721-transfers",
  select: rangedSelect({
    ...TABLE,
    key: { token_address: "bytea" },
    parts: [{ where: "t.token_address = k.token_address" }],
  }),
  positionOf,
};

const OF_TOKEN = {
  name: "token-erc721-transfers",
  select: rangedSelect({
    ...TABLE,
    key: { token_address: "bytea", token_id: "numeric" },
    parts: [{ where: "t.token_address = k.token_address AND t.token_id = k.token_id" }],
  }),
  positionOf,
};

/** A page of the transfers that an address sent or received. */
export const OF_ADDRESS = listOfAddress(TABLE);

const PAGE: TransferList<Erc721TransferRow> = {
  name: "erc721-transfers-of-address",
  list: OF_ADDRESS,
  field: "erc721Transfers",
  positionOf: ({ blockNumber, logIndex }) => [blockNumber, logIndex],
};

const OF_TRANSACTION = {
  name: "transaction-erc721-transfers",
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  order: ascending({ log_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM erc721_transfers t WHERE t.chain_id = $1
    AND t.block_number = k.block_number AND t.block_index = k.block_index AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: (row: Erc721TransferRow) => [String(row.logIndex)],
};

/** Parameters and rows of the statement for all in a transaction. */
const WHOLE: ListKindOptions<Erc721TransferRow> = {
  ...OF_TRANSACTION,
  name: "whole-erc721-transfers",
  addresses: ["from", "to"],
};

const BY_KEY = {
  name: "erc721-transfers-by-key",
  table: "erc721_transfers",
  columns: COLUMNS,
  key: { chain_id: "bigint", block_number: "bigint", log_index: "int" },
  valuesOf: ({ chainId, blockNumber, logIndex }: TransferKey) => [chainId, bigint(blockNumber), logIndex],
};

export function createErc721TransferStore(
  { pool }: Pick<Database, "pool">,
  chains: Chains,
  pageTokens: PageTokens,
  erc20Tokens: Erc20TokenStore,
): Erc721TransferStore {
  const byKey = createKeyedRows<Erc721TransferRow, TransferKey>(pool, BY_KEY);
  const complete = (
    rows: readonly Erc721TransferRow[],
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
      { name: "address-erc721-transfers", table: TABLE, positionOf },
      complete,
    ),
    ofCollection: createRangedList({ pool }, pageTokens, OF_COLLECTION, complete),
    ofToken: createRangedList({ pool }, pageTokens, OF_TOKEN, complete),
  };
}

const withAddresses = ({ from, to, ...transfer }: Erc721TransferRow, columns: AddressColumns): Erc721Transfer => ({
  ...transfer,
  from: columns.from(from).rich,
  to: columns.to(to).rich,
});
