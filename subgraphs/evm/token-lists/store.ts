import type pg from "pg";
import { type Database, EVM_HEAD } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { lazyLoaders } from "../../shared/request-context.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { descending, type Keyset, of, sorted } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import type { TokenOrderField } from "./order.ts";

/** Lists of the tokens or collections of a chain (its id) by order. */
export type TokenLists<Item> = Readonly<Record<`${TokenOrderField} ${SortOrder}`, NestedList<Item>>>;

interface TokenTable {
  /** Table of the counters. */
  readonly counts: "erc20_counts" | "nft_counts";
  /** Table of the tokens or collections, and its SELECT list. */
  readonly table: "erc20_tokens" | "nft_contracts";
  readonly columns: string;
}

const COUNTERS: Readonly<Record<TokenOrderField, string>> = { HOLDERS: "holder_count", TRANSFERS: "transfer_count" };

/** A token and the counter by which its list is ordered. */
interface Ordered {
  readonly address: string;
  readonly counter: string;
}

/** The tokens of chain `$1` in an order. The index of the counter is read first, so that only the tokens of the page are read. */
function tokenSelect({ counts, table, columns }: TokenTable, field: TokenOrderField, direction: SortOrder) {
  const counter = COUNTERS[field];
  const order = sorted(descending({ [counter]: "bigint", token_address: "bytea" }), direction);
  return {
    key: { chain_id: "bigint" },
    order,
    head: EVM_HEAD,
    select: ({ after, orderBy }: Keyset) => `SELECT c.${counter} AS counter, token.* FROM (
      SELECT t.${counter}, t.token_address FROM ${counts} t WHERE t.chain_id = $1 AND ${after()} ORDER BY ${orderBy()} LIMIT k.size + 1
    ) c, LATERAL (SELECT ${columns} FROM ${table} t WHERE t.chain_id = $1 AND t.address = c.token_address) token
    ORDER BY ${orderBy(of("c"))}`,
  };
}

/** Returns a function that creates the lists of one request. `complete` turns rows into items. */
export function createTokenLists<Row extends pg.QueryResultRow, Item>(
  { pool }: Pick<Database, "pool">,
  tokens: PageTokens,
  table: TokenTable,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (work: Work) => TokenLists<Item> {
  const listOf = (field: TokenOrderField, direction: SortOrder) =>
    createNestedList<Row & Ordered, Item>(
      pool,
      tokens,
      {
        ...tokenSelect(table, field, direction),
        name: `${table.table}-by-${field}-${direction}`.toLowerCase(),
        positionOf: ({ counter, address }) => [counter, bytea(address)],
      },
      complete,
    );
  return lazyLoaders({
    "HOLDERS asc": listOf("HOLDERS", "asc"),
    "HOLDERS desc": listOf("HOLDERS", "desc"),
    "TRANSFERS asc": listOf("TRANSFERS", "asc"),
    "TRANSFERS desc": listOf("TRANSFERS", "desc"),
  });
}

interface TokenKey {
  readonly chainId: string;
  readonly address: string;
}

/** The number of transfers of a token or a collection. */
export interface TransferCount extends TokenKey {
  readonly transferCount: string;
}

/** Reads the numbers of transfers of tokens or collections, in one statement for each chain. */
export const createTransferCounts = ({ pool }: Pick<Database, "pool">, table: TokenTable["counts"]) =>
  createKeyedRows<{ [Name in keyof TransferCount]: TransferCount[Name] }, TokenKey>(pool, {
    name: `transfer-counts-in-${table}`,
    table,
    columns: `chain_id AS "chainId", token_address AS address, transfer_count AS "transferCount"`,
    key: { chain_id: "bigint", token_address: "bytea" },
    valuesOf: ({ chainId, address }) => [chainId, bytea(address)],
  });
