import type { Database } from "../../../core/database/database.ts";
import { EVM_HEAD } from "../../../core/database/prepared-list.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { bigint, columns, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import { addressStatement } from "../transfers/address-statement.ts";
import { createReadPage, type TransferList } from "../transfers/read-page.ts";
import { createListKind, type ListKind, type ListKindOptions } from "../transfers/whole-lists.ts";
import { type Erc20TransferRow, withTokens } from "./rows.ts";
import type { Erc20Transfer, Erc20TransferPage, Erc20TransfersArgs } from "./types.ts";

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
  page(args: Erc20TransfersArgs, work: Work): Promise<Erc20TransferPage>;
  byKey(keys: readonly TransferKey[], work: Work): Promise<Erc20Transfer[]>;
  /** Transfers in a transaction (`transactionKey`), in log order. */
  ofTransaction(work: Work): NestedList<Erc20Transfer>;
  /** All transfers in a transaction (`transactionKey`), in log order. */
  readonly allOfTransaction: ListKind<Erc20Transfer>;
  /** Transfers of a token (chain id, address as BYTEA), newest first. */
  ofToken(work: Work): NestedList<Erc20Transfer>;
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

const ORDER = ["block_number", "log_index"];

/** A page of the transfers that an address sent or received. */
export const OF_ADDRESS = addressStatement({ table: "erc20_transfers", columns: COLUMNS, order: ORDER });

export const OF_TRANSACTION = {
  name: "transaction-erc20-transfers",
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  position: { log_index: "int" },
  start: ["-1"],
  head: EVM_HEAD,
  select: `SELECT ${COLUMNS} FROM erc20_transfers t WHERE t.chain_id = $1 AND t.block_number = k.block_number
    AND t.block_index = k.block_index AND t.log_index > k.log_index ORDER BY t.log_index`,
  positionOf: (row: Erc20TransferRow) => [String(row.logIndex)],
};

const PAGE: TransferList<Erc20TransferRow> = {
  name: "erc20-transfers-of-address",
  statement: OF_ADDRESS,
  field: "erc20Transfers",
  positionOf: ({ blockNumber, logIndex }) => [blockNumber, logIndex],
  indexes: 1,
};

const OF_TOKEN = {
  name: "token-erc20-transfers",
  key: { chain_id: "bigint", token_address: "bytea" },
  position: { block_number: "bigint", log_index: "int" },
  start: [MAX_BIGINT, "0"],
  head: EVM_HEAD,
  select: `SELECT ${COLUMNS} FROM erc20_transfers t WHERE t.chain_id = $1 AND t.token_address = k.token_address
    AND (t.block_number, t.log_index) < (k.block_number, k.log_index) ORDER BY t.block_number DESC, t.log_index DESC`,
  positionOf: (row: Erc20TransferRow) => [row.blockNumber, String(row.logIndex)],
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
    ofToken: createNestedList(pool, pageTokens, OF_TOKEN, complete),
  };
}
