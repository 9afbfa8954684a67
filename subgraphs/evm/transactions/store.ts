import type pg from "pg";
import type { Database } from "../../../core/database/database.ts";
import { EVM_HEAD, preparedList } from "../../../core/database/database.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { allColumns, bytea, bytes, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import { addressStatement } from "../transfers/address-statement.ts";
import type { EvmTransaction, EvmTransactionPage, EvmTransactionsArgs } from "./types.ts";

export interface TransactionKey {
  readonly chainId: string;
  readonly txHash: string;
}

export interface TransactionStore {
  /**
   * Reads a page of the transactions of a chain, or of those from or to an address, newest first. Throws `NOT_FOUND` for an
   * unknown chain, `INVALID_PARAMETER` for an invalid page.
   */
  page(args: EvmTransactionsArgs, work: Work): Promise<EvmTransactionPage>;
  byHash(keys: readonly TransactionKey[], work: Work): Promise<EvmTransaction[]>;
  /** Transactions of a block (chain id, block number), in the block's order. */
  ofBlock(work: Work): NestedList<EvmTransaction>;
}

/** SELECT list of a transaction. */
export const COLUMNS = allColumns("evm_transactions");

/** A page of the transactions of a chain. */
const OF_CHAIN = `SELECT ${COLUMNS} FROM evm_transactions WHERE chain_id = $1 AND (block_number, block_index) < ($2::bigint, $3)
  ORDER BY block_number DESC, block_index DESC LIMIT $4`;

const ORDER = ["block_number", "block_index"];

/** A page of the transactions that an address sent or received. */
export const OF_ADDRESS = addressStatement({ table: "evm_transactions", columns: COLUMNS, order: ORDER });

const OF_BLOCK = {
  name: "block-transactions",
  key: { chain_id: "bigint", block_number: "bigint" },
  position: { block_index: "int" },
  start: ["-1"],
  head: EVM_HEAD,
  select: `SELECT ${COLUMNS} FROM evm_transactions t WHERE t.chain_id = $1 AND t.block_number = k.block_number
    AND t.block_index > k.block_index ORDER BY t.block_index`,
  positionOf: (row: EvmTransaction) => [String(row.blockIndex)],
};

export function createTransactionStore(database: Database, chains: Chains, tokens: PageTokens): TransactionStore {
  const { pool, prisma } = database;
  const pageOf = createPages(pool);
  const requireIndexed = createRequireIndexed({ pool });
  return {
    async page(args, work) {
      const chainId = String(chains.require(args.chainId).chainId);
      const parameters = [chainId, args.address ?? null];
      const page = await readListPage(tokens, {
        list: "evmTransactions",
        parameters,
        page: args,
        start: [MAX_BIGINT, "0"],
        async read(position) {
          const { read, values } = pageOf(chainId, args.address ?? null, position, args.size + 1);
          const found = await read(values, work);
          if (found.rows.length === 0) await requireIndexed(chainId, work);
          return found;
        },
        positionOf: ({ blockNumber, blockIndex }) => [blockNumber, String(blockIndex)],
      });
      return { nextPageToken: page.nextPageToken, transactions: page.items };
    },
    byHash: createRowsById(prisma, {
      partitionOf: ({ chainId }: TransactionKey) => chainId,
      idOf: ({ txHash }) => bytes(txHash),
      findMany: ({ evmTransaction }, chainId, txHashes) =>
        evmTransaction.findMany({ where: { chainId, txHash: { in: txHashes } } }),
    }),
    ofBlock: createNestedList(pool, tokens, OF_BLOCK, async (rows) => rows),
  };
}

function createPages(pool: pg.Pool) {
  const ofChain = preparedList<EvmTransaction>(pool, "evm-transactions-page", OF_CHAIN, EVM_HEAD);
  const ofAddress = preparedList<EvmTransaction>(pool, "evm-transactions-of-address", OF_ADDRESS, EVM_HEAD);
  /** The statement of a page, and its values. */
  return (chainId: string, address: string | null, position: readonly unknown[], rows: number) =>
    address === null
      ? { read: ofChain, values: [chainId, ...position, rows] }
      : { read: ofAddress, values: [chainId, bytea(address), ...position, 0, rows] };
}
