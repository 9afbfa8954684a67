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
import type { NamedAddress } from "../addresses/named-addresses.ts";
import { type AddressColumns, withRichAddresses } from "../addresses/named-addresses.ts";
import type { RichAddress } from "../addresses/types.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";
import { type AddressLists, createAddressLists } from "../ranged-lists/address-lists.ts";
import { createRangedList, type RangedList } from "../ranged-lists/ranged-lists.ts";
import { rangedSelect } from "../ranged-lists/ranged-select.ts";
import { createReadPage, listOfAddress, type TransferList } from "../transfers/read-page.ts";
import { createListKind, type ListKind, type ListKindOptions } from "../transfers/whole-lists.ts";
import type { Erc20Transfer, Erc20TransfersArgs } from "./types.ts";

type AddressField = "from" | "to" | "erc20Token";

/** A transfer as statements return it: token, sender and recipient are plain addresses. */
export type Erc20TransferRow = Omit<Erc20Transfer, AddressField> & Record<AddressField, string>;

/** A row and its addresses, whose tokens are added when they are read. */
interface AddressedRow {
  readonly row: Erc20TransferRow;
  readonly from: RichAddress;
  readonly to: RichAddress;
  readonly token: NamedAddress;
}

/**
 * Adds the token, and token metadata of sender and recipient, to transfers. The result is plain objects, so that no field
 * has to be resolved for each row. One statement for each chain among the rows.
 */
async function withTokens(
  rows: readonly Erc20TransferRow[],
  tokens: Pick<Erc20TokenStore, "among">,
  work: Work,
): Promise<Erc20Transfer[]> {
  return (await withRichAddresses(rows, tokens, addressed, work)).map(transferOf);
}

function addressed(row: Erc20TransferRow, { from, to, token }: AddressColumns): AddressedRow {
  return { row, from: from(row.from).rich, to: to(row.to).rich, token: token(row.erc20Token) };
}

/** An object literal: spreading the row took a sixth of the time of a page. */
function transferOf({ row, from, to, token }: AddressedRow): Erc20Transfer {
  return {
    chainId: row.chainId,
    blockNumber: row.blockNumber,
    blockTimestamp: row.blockTimestamp,
    blockHash: row.blockHash,
    txHash: row.txHash,
    from,
    to,
    logIndex: row.logIndex,
    value: row.value,
    erc20Token: token.token ?? pendingToken(row),
  };
}

/** Replaces a token whose row was removed by a reorganisation after the transfers were read. */
function pendingToken({ chainId, blockNumber, erc20Token }: Erc20TransferRow): Erc20Token {
  return {
    chainId,
    address: erc20Token,
    firstBlockNumber: blockNumber,
    name: "",
    symbol: "",
    decimals: 0,
    logoUri: null,
    ercType: "ERC-20",
    metadataStatus: "PENDING",
  };
}

export interface TransferKey {
  readonly chainId: string;
  readonly blockNumber: string;
  readonly logIndex: number;
}

export interface Erc20TransferStore {
  /**
   * Reads a page of the transfers from or to an address, newest first, in two statements. Throws `NOT_FOUND` for an unknown
   * chain, `INVALID_PARAMETER` for an invalid page.
   */
  page(args: Erc20TransfersArgs, work: Work): Promise<Page<Erc20Transfer>>;
  byKey(keys: readonly TransferKey[], work: Work): Promise<Erc20Transfer[]>;
  /** Transfers in a transaction (`transactionKey`), in log order. */
  ofTransaction(work: Work): NestedList<Erc20Transfer>;
  /** All transfers in a transaction (`transactionKey`), in log order. */
  readonly allOfTransaction: ListKind<Erc20Transfer>;
  /** Transfers from or to an address, newest first. */
  ofAddress(work: Work): AddressLists<Erc20Transfer>;
  /** Transfers of a token (address as BYTEA), newest first. */
  ofToken(work: Work): RangedList<Erc20Transfer>;
  /** Transfers of a token from or to an address, newest first. Key: the token and the address, as BYTEA. */
  ofTokenByHolder(work: Work): AddressLists<Erc20Transfer>;
}

const COLUMNS = columns<Erc20TransferRow>(
  "chainId",
  "blockNumber",
  "blockTimestamp",
  "blockHash",
  "txHash",
  "logIndex",
  "from",
  "to",
  "erc20Token",
  "value",
);

const ORDER = descending({ block_number: "bigint", log_index: "int" });

const TABLE = { table: "erc20_transfers", columns: COLUMNS, order: ORDER };

/** A page of the transfers that an address sent or received. */
export const OF_ADDRESS = listOfAddress(TABLE);

export const OF_TRANSACTION = {
  name: "transaction-erc20-transfers",
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  order: ascending({ log_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM erc20_transfers t WHERE t.chain_id = $1
    AND t.block_number = k.block_number AND t.block_index = k.block_index AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: (row: Erc20TransferRow) => [String(row.logIndex)],
};

const PAGE: TransferList<Erc20TransferRow> = {
  name: "erc20-transfers-of-address",
  list: OF_ADDRESS,
  field: "erc20Transfers",
  positionOf: ({ blockNumber, logIndex }) => [blockNumber, logIndex],
};

const positionOf = ({ blockNumber, logIndex }: Erc20TransferRow) => [blockNumber, String(logIndex)];

const OF_TOKEN = {
  name: "token-erc20-transfers",
  select: rangedSelect({
    ...TABLE,
    key: { token_address: "bytea" },
    parts: [{ where: "t.token_address = k.token_address" }],
  }),
  positionOf,
};

const OF_TOKEN_BY_HOLDER = {
  name: "token-erc20-transfers-by-holder",
  table: { ...TABLE, key: { token_address: "bytea" }, where: "t.token_address = k.token_address" },
  positionOf,
};

/** Parameters and rows of the statement for all in a transaction. */
const WHOLE: ListKindOptions<Erc20TransferRow> = {
  ...OF_TRANSACTION,
  name: "whole-erc20-transfers",
  addresses: ["from", "to", "erc20Token"],
};

const BY_KEY = {
  name: "erc20-transfers-by-key",
  table: "erc20_transfers",
  columns: COLUMNS,
  key: { chain_id: "bigint", block_number: "bigint", log_index: "int" },
  valuesOf: ({ chainId, blockNumber, logIndex }: TransferKey) => [chainId, bigint(blockNumber), logIndex],
};

export function createErc20TransferStore(
  { pool }: Pick<Database, "pool">,
  chains: Chains,
  pageTokens: PageTokens,
  erc20Tokens: Erc20TokenStore,
): Erc20TransferStore {
  const byKey = createKeyedRows<Erc20TransferRow, TransferKey>(pool, BY_KEY);
  const complete = (rows: Erc20TransferRow[], work: Work, tokens: Pick<Erc20TokenStore, "among"> = erc20Tokens) =>
    withTokens(rows, tokens, work);
  return {
    page: createReadPage(pool, chains, pageTokens, PAGE, complete),
    byKey: async (keys, work) => complete(await byKey(keys, work), work),
    ofTransaction: createNestedList(pool, pageTokens, OF_TRANSACTION, complete),
    allOfTransaction: createListKind(pool, WHOLE, erc20Tokens, complete),
    ofAddress: createAddressLists(
      { pool },
      pageTokens,
      { name: "address-erc20-transfers", table: TABLE, positionOf },
      complete,
    ),
    ofToken: createRangedList({ pool }, pageTokens, OF_TOKEN, complete),
    ofTokenByHolder: createAddressLists({ pool }, pageTokens, OF_TOKEN_BY_HOLDER, complete),
  };
}
