import type { Database } from "../../../core/database/database.ts";
import { EVM_HEAD, prepared } from "../../../core/database/database.ts";
import { ZERO_ADDRESS } from "../../../core/formats/address.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import { requireTraces, type TraceCoverage, traceCoverage } from "../../../core/networks/trace-coverage.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { ascending, descending, endsOfRange, type Keyset } from "../../shared/rows/keyset.ts";
import { COUNT_LIMIT, createListReader, type ListSelect, selectOf, totalOf } from "../../shared/rows/list-reader.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { allColumns, bigint, bytea, columns } from "../../shared/rows/text-rows.ts";
import { type AddressColumns, withRichAddresses } from "../addresses/named-addresses.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import { type AddressLists, createAddressLists } from "../ranged-lists/address-lists.ts";
import { addressRows, apiName, POSITION_AT } from "../transfers/address-statement.ts";
import { listOf } from "../transfers/read-page.ts";
import { createListKind, type ListKind, type ListKindOptions } from "../transfers/whole-lists.ts";
import { createTraceCoverage, type LoadTraceCoverage } from "./trace-coverage.ts";
import type { CallData, EvmInternalTransaction, InternalTransactionsArgs } from "./types.ts";

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
  page(args: InternalTransactionsArgs, work: Work): Promise<Page<EvmInternalTransaction>>;
  byKey(keys: readonly InternalTransactionKey[], work: Work): Promise<EvmInternalTransaction[]>;
  /** Reads input and output, in one statement for each chain. */
  callData(keys: readonly InternalTransactionKey[], work: Work): Promise<InternalCallData[]>;
  /** Internal transactions of every type in a transaction (`transactionKey`), in call tree order. */
  ofTransaction(work: Work): NestedList<EvmInternalTransaction>;
  /** All internal transactions in a transaction (`transactionKey`), in call tree order, without those of type `UNKNOWN`. */
  readonly allOfTransaction: ListKind<EvmInternalTransaction>;
  /** The trace coverage of ranges of blocks. */
  traceCoverage(work: Work): LoadTraceCoverage;
  /** Internal transactions from or to an address, newest first, without those of type `UNKNOWN`. */
  ofAddress(work: Work): AddressLists<EvmInternalTransaction>;
}

/** Input and output of an internal transaction, as `0x` hex; null if they are not stored. */
export interface InternalCallData extends InternalTransactionKey {
  readonly input: string | null;
  readonly output: string | null;
}

/** An internal transaction as statements return it: plain addresses; `to` is null if the creation of a contract failed. */
export interface InternalTransactionRow extends Omit<EvmInternalTransaction, "from" | "to"> {
  readonly from: string;
  readonly to: string | null;
}

const CALL_DATA: readonly CallData[] = ["input", "output"];
const COLUMNS = allColumns("evm_internal_transactions", CALL_DATA);

/**
 * Condition of E10: calls that transfer the native token, and contract creations. The partial indexes by address have the same
 * condition.
 */
const IS_LISTED = "internal_tx_type <> 'UNKNOWN'";

const ORDER = descending({ block_number: "bigint", block_index: "int", trace_index: "int" });

const TABLE = { table: "evm_internal_transactions", columns: COLUMNS, order: ORDER };

/**
 * A page of the internal transactions that an address sent or received. Parameters: those of `addressStatement`, then the other end of the
 * range. Every row carries the trace coverage of the blocks that the page covers: from the block of its position, or the end of the range,
 * to the block of its last row, or, for the last page in its direction, to the other end of the range. If the page is empty, the statement
 * returns one row that has only the coverage.
 */
export const OF_ADDRESS: ListSelect = {
  order: ORDER,
  positionAt: POSITION_AT,
  select(keyset) {
    const orderBy = keyset.orderBy(apiName);
    const lastBlock = `(array_agg("blockNumber" ORDER BY ${orderBy}))[$7 - 1]`;
    return `WITH page AS MATERIALIZED (
    SELECT * FROM (
      ${addressRows({ ...TABLE, where: IS_LISTED }, keyset)}
    ) found ORDER BY ${orderBy} LIMIT $7
  ), covered AS MATERIALIZED (
    SELECT ${keyset.isBackward ? coveredBackward(lastBlock) : coveredForward(lastBlock)} FROM page
  )
  SELECT coverage.*, page.* FROM covered, LATERAL (${traceCoverage("covered.first", 'covered."end"')}) coverage LEFT JOIN page ON true
  ORDER BY ${orderBy}`;
  },
};

const coveredForward = (
  lastBlock: string,
): string => `CASE WHEN count(*) < $7 THEN $6::bigint ELSE ${lastBlock} END AS first,
      CASE WHEN $3::bigint < $8::bigint THEN $3::bigint + 1 ELSE $8::bigint END AS "end"`;

const coveredBackward = (lastBlock: string): string => `greatest($3::bigint, $8::bigint) AS first,
      CASE WHEN count(*) < $7 THEN $6::bigint ELSE ${lastBlock} + 1 END AS "end"`;

const OF_ADDRESS_LISTS = {
  name: "address-internal-transactions",
  table: { ...TABLE, where: `t.${IS_LISTED}` },
  positionOf: ({ blockNumber, blockIndex, traceIndex }: InternalTransactionRow) => [
    blockNumber,
    String(blockIndex),
    String(traceIndex),
  ],
};

const COVERAGE = `"offReason", "firstUntraced", "lastUntraced", "refusalReason", "isRetried"`;

/** The number of the newest rows of `OF_ADDRESS`, and the coverage of the blocks that they cover. */
const COUNT_OF_ADDRESS = `SELECT count("chainId")::int AS count, ${COVERAGE} FROM (${selectOf(OF_ADDRESS, false)}) list
  GROUP BY ${COVERAGE}`;

type CountRow = TraceCoverage & { readonly count: number };
type PageRow = TraceCoverage & (InternalTransactionRow | { readonly chainId: null });

const ofTransaction = (name: string, where = "") => ({
  name,
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  order: ascending({ trace_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM evm_internal_transactions t WHERE t.chain_id = $1
    AND t.block_number = k.block_number AND t.block_index = k.block_index AND ${after()} ${where} ORDER BY ${orderBy()}`,
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

const CALL_DATA_BY_KEY = {
  ...BY_KEY,
  name: "internal-transactions-call-data",
  columns: columns<InternalCallData>("chainId", "blockNumber", "blockIndex", "traceIndex", ...CALL_DATA),
};

export function createInternalTransactionStore(
  { pool }: Pick<Database, "pool">,
  chains: Chains,
  pageTokens: PageTokens,
  erc20Tokens: Erc20TokenStore,
): InternalTransactionStore {
  const ofAddress = createListReader<PageRow>(pool, {
    ...OF_ADDRESS,
    name: "internal-transactions-of-address",
    head: EVM_HEAD,
  });
  const counts = prepared<CountRow>(pool, "internal-transactions-of-address-count", COUNT_OF_ADDRESS);
  const requireIndexed = createRequireIndexed({ pool });
  const byKey = createKeyedRows<InternalTransactionRow, InternalTransactionKey>(pool, BY_KEY);
  const callData = createKeyedRows<
    { [Name in keyof InternalCallData]: InternalCallData[Name] },
    InternalTransactionKey
  >(pool, CALL_DATA_BY_KEY);
  const complete = (
    rows: readonly InternalTransactionRow[],
    work: Work,
    tokens: Pick<Erc20TokenStore, "among"> = erc20Tokens,
  ) => withRichAddresses(rows, tokens, withAddresses, work);
  return {
    async page(args, work) {
      const parameters = listOf(chains, args);
      const [chainId, address, fromBlock, toBlock] = parameters;
      const ends = endsOfRange(ORDER, fromBlock, toBlock);
      const values = ({ position, isBackward, limit }: PageFrom) => {
        const range = isBackward ? [toBlock, limit, fromBlock] : [fromBlock, limit, toBlock];
        return [chainId, bytea(address), ...position, ...range];
      };
      const page = await readListPage<TraceCoverage & InternalTransactionRow>(pageTokens, {
        list: "internalTransactions",
        parameters,
        page: args,
        ends,
        async read(from) {
          const { rows: found, heads } = await ofAddress.read(values, from, work);
          const rows = found.filter(isInternal);
          if (rows.length === 0) await requireIndexed(chainId, work);
          requireTraces(chainId, found[0] as PageRow);
          return { rows, heads };
        },
        async count() {
          const [row] = await counts(values({ position: ends.first, isBackward: false, limit: COUNT_LIMIT }), work);
          requireTraces(chainId, row as CountRow);
          return totalOf((row as CountRow).count);
        },
        positionOf: ({ blockNumber, blockIndex, traceIndex }) => [blockNumber, String(blockIndex), String(traceIndex)],
      });
      return page.withNodes(await complete(page.nodes, work));
    },
    byKey: async (keys, work) => complete(await byKey(keys, work), work),
    callData,
    ofTransaction: createNestedList(pool, pageTokens, ofTransaction("transaction-internal-transactions"), complete),
    allOfTransaction: createListKind(pool, WHOLE, erc20Tokens, complete),
    traceCoverage: createTraceCoverage({ pool }),
    ofAddress: createAddressLists({ pool }, pageTokens, OF_ADDRESS_LISTS, complete),
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
