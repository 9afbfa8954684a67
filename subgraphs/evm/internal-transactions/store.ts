import type { Database } from "../../../core/database/database.ts";
import { EVM_HEAD, preparedList } from "../../../core/database/database.ts";
import { ZERO_ADDRESS } from "../../../core/formats/address.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import { requireTraces, type TraceCoverage, traceCoverage } from "../../../core/networks/trace-coverage.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { allColumns, bigint, bytea } from "../../shared/rows/text-rows.ts";
import { type AddressColumns, withRichAddresses } from "../addresses/named-addresses.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import { addressRows, newestFirst } from "../transfers/address-statement.ts";
import { firstPosition, listOf } from "../transfers/read-page.ts";
import { createListKind, type ListKind, type ListKindOptions } from "../transfers/whole-lists.ts";
import type { EvmInternalTransaction, EvmInternalTransactionPage, InternalTransactionsArgs } from "./types.ts";

export interface InternalTransactionKey {
  readonly chainId: string;
  readonly blockNumber: string;
  readonly blockIndex: number;
  readonly traceIndex: number;
}

export interface InternalTransactionStore {
  /**
   * Reads a page of the internal transactions from or to an address, newest first, without those of type `UNKNOWN`, in two
   * statements. Throws `NOT_FOUND` if the chain is unknown or tracing is off for it, `INVALID_PARAMETER` for an invalid page, and
   * `UNAVAILABLE` if a block that the page covers is not traced.
   */
  page(args: InternalTransactionsArgs, work: Work): Promise<EvmInternalTransactionPage>;
  byKey(keys: readonly InternalTransactionKey[], work: Work): Promise<EvmInternalTransaction[]>;
  /** Internal transactions of every type in a transaction (`transactionKey`), in call tree order. */
  ofTransaction(work: Work): NestedList<EvmInternalTransaction>;
  /** All internal transactions in a transaction (`transactionKey`), in call tree order, without those of type `UNKNOWN`. */
  readonly allOfTransaction: ListKind<EvmInternalTransaction>;
}

/** An internal transaction as statements return it: plain addresses; `to` is null if the creation of a contract failed. */
export interface InternalTransactionRow extends Omit<EvmInternalTransaction, "from" | "to"> {
  readonly from: string;
  readonly to: string | null;
}

const COLUMNS = allColumns("evm_internal_transactions");

/**
 * Condition of E10: calls that transfer the native token, and contract creations. The partial indexes by address have the same
 * condition.
 */
const IS_LISTED = "internal_tx_type <> 'UNKNOWN'";

const ORDER = ["block_number", "block_index", "trace_index"];

/**
 * A page of the internal transactions that an address sent or received. Parameters: those of `addressStatement`, then the end of the range.
 * Every row carries the trace coverage of the blocks that the page covers: from the block of its position, or the end of the range, down to
 * the block of its last row, or, for the last page, to the start of the range. If the page is empty, the statement returns one row that has
 * only the coverage.
 */
export const OF_ADDRESS = `WITH page AS MATERIALIZED (
    SELECT * FROM (
      ${addressRows({ table: "evm_internal_transactions", columns: COLUMNS, order: ORDER, where: IS_LISTED })}
    ) found ORDER BY ${newestFirst(ORDER)} LIMIT $7
  ), covered AS MATERIALIZED (
    SELECT CASE WHEN count(*) < $7 THEN $6::bigint ELSE (array_agg("blockNumber" ORDER BY ${newestFirst(ORDER)}))[$7 - 1] END AS first,
      CASE WHEN $3::bigint < $8::bigint THEN $3::bigint + 1 ELSE $8::bigint END AS "end"
    FROM page
  )
  SELECT coverage.*, page.* FROM covered, LATERAL (${traceCoverage("covered.first", 'covered."end"')}) coverage LEFT JOIN page ON true
  ORDER BY ${newestFirst(ORDER)}`;

type PageRow = TraceCoverage & (InternalTransactionRow | { readonly chainId: null });

const ofTransaction = (name: string, where = "") => ({
  name,
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  position: { trace_index: "int" },
  start: ["-1"],
  head: EVM_HEAD,
  select: `SELECT ${COLUMNS} FROM evm_internal_transactions t WHERE t.chain_id = $1
    AND t.block_number = k.block_number AND t.block_index = k.block_index AND t.trace_index > k.trace_index ${where}
    ORDER BY t.trace_index`,
  positionOf: (row: InternalTransactionRow) => [String(row.traceIndex)],
});

export const LISTED_OF_TRANSACTION = ofTransaction("transaction-listed-internal-transactions", `AND ${IS_LISTED}`);

/** Parameters and rows of the statement for all in a transaction. */
const WHOLE: ListKindOptions<InternalTransactionRow> = { ...LISTED_OF_TRANSACTION, addresses: ["from", "to"] };

const BY_KEY = {
  name: "internal-transactions-by-key",
  table: "evm_internal_transactions",
  columns: COLUMNS,
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int", trace_index: "int" },
  valuesOf: (key: InternalTransactionKey) => [key.chainId, bigint(key.blockNumber), key.blockIndex, key.traceIndex],
};

export function createInternalTransactionStore(
  { pool }: Pick<Database, "pool">,
  chains: Chains,
  pageTokens: PageTokens,
  erc20Tokens: Erc20TokenStore,
): InternalTransactionStore {
  const ofAddress = preparedList<PageRow>(pool, "internal-transactions-of-address", OF_ADDRESS, EVM_HEAD);
  const requireIndexed = createRequireIndexed({ pool });
  const byKey = createKeyedRows<InternalTransactionRow, InternalTransactionKey>(pool, BY_KEY);
  const complete = (
    rows: readonly InternalTransactionRow[],
    work: Work,
    tokens: Pick<Erc20TokenStore, "among"> = erc20Tokens,
  ) => withRichAddresses(rows, tokens, withAddresses, work);
  return {
    async page(args, work) {
      const list = listOf(chains, args);
      const [chainId, address, startBlock, endBlock] = list;
      const range = [bigint(startBlock), args.size + 1, bigint(endBlock)];
      const page = await readListPage(pageTokens, {
        list: "internalTransactions",
        parameters: list,
        page: args,
        start: firstPosition(endBlock, 2),
        async read(position) {
          const { rows: found, heads } = await ofAddress([chainId, bytea(address), ...position, ...range], work);
          const rows = found.filter(isInternal);
          if (rows.length === 0) await requireIndexed(chainId, work);
          requireTraces(chainId, found[0] as PageRow);
          return { rows, heads };
        },
        positionOf: ({ blockNumber, blockIndex, traceIndex }) => [blockNumber, String(blockIndex), String(traceIndex)],
      });
      return { nextPageToken: page.nextPageToken, transactions: await complete(page.items, work) };
    },
    byKey: async (keys, work) => complete(await byKey(keys, work), work),
    ofTransaction: createNestedList(pool, pageTokens, ofTransaction("transaction-internal-transactions"), complete),
    allOfTransaction: createListKind(pool, WHOLE, erc20Tokens, complete),
  };
}

const isInternal = (row: PageRow): row is TraceCoverage & InternalTransactionRow => row.chainId !== null;

/** Uses an object literal, because the spread operator would take as long as reading the row. */
function withAddresses(row: InternalTransactionRow, columns: AddressColumns): EvmInternalTransaction {
  return {
    chainId: row.chainId,
    blockNumber: row.blockNumber,
    blockIndex: row.blockIndex,
    traceIndex: row.traceIndex,
    blockTimestamp: row.blockTimestamp,
    blockHash: row.blockHash,
    txHash: row.txHash,
    from: columns.from(row.from).rich,
    to: columns.to(row.to ?? ZERO_ADDRESS).rich,
    internalTxType: row.internalTxType,
    opcode: row.opcode,
    value: row.value,
    isReverted: row.isReverted,
    gasUsed: row.gasUsed,
    gasLimit: row.gasLimit,
  };
}
