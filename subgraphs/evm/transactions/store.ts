import type { Database } from "../../../core/database/database.ts";
import { EVM_HEAD, prepared } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { ascending, descending, type Keyset } from "../../shared/rows/keyset.ts";
import { createListReader, exactly, type ListSelect } from "../../shared/rows/list-reader.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { allColumns, bytes } from "../../shared/rows/text-rows.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import { type AddressLists, createAddressLists } from "../ranged-lists/address-lists.ts";
import { createRangedList, type RangedList } from "../ranged-lists/ranged-lists.ts";
import { hashOf, rangedSelect, recheck } from "../ranged-lists/ranged-select.ts";
import type { EvmTransaction } from "./types.ts";

export interface TransactionKey {
  readonly chainId: string;
  readonly txHash: string;
}

export interface TransactionStore {
  /**
   * Reads a page of all transactions of a chain, newest first. Throws `NOT_FOUND` for an unknown chain, `INVALID_PARAMETER` for an
   * invalid page, `UNAVAILABLE` if no block of the chain is indexed.
   */
  page(args: PageRange & { readonly chainId: string }, work: Work): Promise<Page<EvmTransaction>>;
  byHash(keys: readonly TransactionKey[], work: Work): Promise<EvmTransaction[]>;
  /** Transactions of a block (chain id, block number), in the block's order. */
  ofBlock(work: Work): NestedList<EvmTransaction>;
  /** Transactions of chains, newest first. */
  ofChains(work: Work): RangedList<EvmTransaction>;
  /** Transactions from or to an address, newest first. */
  ofAddress(work: Work): AddressLists<EvmTransaction>;
  /** Those that failed. */
  failedOfAddress(work: Work): AddressLists<EvmTransaction>;
  /** Transactions from or to an address that call a method (4 bytes), newest first. Key: the method and the address, as BYTEA. */
  callsOfMethod(work: Work): AddressLists<EvmTransaction>;
}

/** SELECT list of a transaction. */
export const COLUMNS = allColumns("evm_transactions");

const ORDER = descending({ block_number: "bigint", block_index: "int" });

/** A page of the transactions of a chain. */
const OF_CHAIN: ListSelect = {
  order: ORDER,
  positionAt: 2,
  select: ({ after, orderBy }) => `SELECT ${COLUMNS} FROM evm_transactions t WHERE t.chain_id = $1 AND ${after()}
    ORDER BY ${orderBy()} LIMIT $4`,
};

/** The number of transactions of a chain, which its last block has. */
const COUNT_OF_CHAIN = `SELECT cumulative_transactions AS count FROM evm_blocks WHERE chain_id = $1
  ORDER BY block_number DESC LIMIT 1`;

const TABLE = { table: "evm_transactions", columns: COLUMNS, order: ORDER };

const positionOf = ({ blockNumber, blockIndex }: EvmTransaction) => [blockNumber, String(blockIndex)];

const OF_CHAINS = {
  name: "chain-transactions",
  select: rangedSelect({ ...TABLE, key: {}, parts: [{ where: "true" }] }),
  positionOf,
};

const FAILED_OF_ADDRESS = {
  name: "address-failed-transactions",
  table: { ...TABLE, where: "t.tx_status = 0" },
  positionOf,
};

const SELECTOR = "substring(t.input FROM 1 FOR 4)";

/** The index of each side has the same expression and the same condition. */
const CALLS_OF_METHOD = {
  name: "address-method-calls",
  table: {
    ...TABLE,
    key: { method: "bytea" },
    where: "t.to_address IS NOT NULL AND octet_length(t.input) >= 4",
    sides: {
      SENT: `${hashOf(["t.from_address", SELECTOR])} = ${hashOf(["k.address", "k.method"])}
        AND ${recheck(["t.from_address = k.address", `${SELECTOR} = k.method`])}`,
      RECEIVED: `t.to_address = k.address AND ${SELECTOR} = k.method`,
    },
  },
  positionOf,
};

const OF_BLOCK = {
  name: "block-transactions",
  key: { chain_id: "bigint", block_number: "bigint" },
  order: ascending({ block_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM evm_transactions t WHERE t.chain_id = $1
    AND t.block_number = k.block_number AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: (row: EvmTransaction) => [String(row.blockIndex)],
};

export function createTransactionStore(database: Database, chains: Chains, tokens: PageTokens): TransactionStore {
  const { pool, prisma } = database;
  const ofChain = createListReader<EvmTransaction>(pool, {
    ...OF_CHAIN,
    name: "evm-transactions-page",
    head: EVM_HEAD,
  });
  const countOfChain = prepared<{ count: string }>(pool, "evm-transactions-page-count", COUNT_OF_CHAIN);
  const requireIndexed = createRequireIndexed({ pool });
  const list = async (rows: EvmTransaction[]) => rows;
  return {
    async page(args, work) {
      const chainId = String(chains.require(args.chainId).chainId);
      const values = ({ position, limit }: PageFrom) => [chainId, ...position, limit];
      return readListPage(tokens, {
        list: "evmTransactions",
        parameters: [chainId],
        page: args,
        ends: ofChain.ends,
        async read(from) {
          const found = await ofChain.read(values, from, work);
          if (found.rows.length === 0) await requireIndexed(chainId, work);
          return found;
        },
        count: async () => {
          const [last] = await countOfChain([chainId], work);
          return exactly(last?.count ?? 0);
        },
        positionOf,
      });
    },
    byHash: createRowsById(prisma, {
      partitionOf: ({ chainId }: TransactionKey) => chainId,
      idOf: ({ txHash }) => bytes(txHash),
      findMany: ({ evmTransaction }, chainId, txHashes) =>
        evmTransaction.findMany({ where: { chainId, txHash: { in: txHashes } } }),
    }),
    ofBlock: createNestedList(pool, tokens, OF_BLOCK, list),
    ofChains: createRangedList(database, tokens, OF_CHAINS, list),
    ofAddress: createAddressLists(database, tokens, { name: "address-transactions", table: TABLE, positionOf }, list),
    failedOfAddress: createAddressLists(database, tokens, FAILED_OF_ADDRESS, list),
    callsOfMethod: createAddressLists(database, tokens, CALLS_OF_METHOD, list),
  };
}
