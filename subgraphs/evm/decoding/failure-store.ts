import type { Database } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { allColumns, bigint } from "../../shared/rows/text-rows.ts";

export interface FailureKey {
  readonly chainId: string;
  readonly blockNumber: string;
  readonly blockIndex: number;
}

/** Why a transaction failed, by its call tree. */
export interface TransactionFailure extends FailureKey {
  /** The node's words. */
  readonly error: string;
  /** What the transaction returned, as `0x` hex; null if it is not stored. */
  readonly output: string | null;
}

export interface FailureStore {
  /** Reads why transactions failed, in one statement for each chain. Transactions of blocks that are not traced are left out. */
  byTransaction(keys: readonly FailureKey[], work: Work): Promise<TransactionFailure[]>;
}

const BY_TRANSACTION = {
  name: "failures-by-transaction",
  table: "evm_failures",
  columns: allColumns("evm_failures"),
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  valuesOf: ({ chainId, blockNumber, blockIndex }: FailureKey) => [chainId, bigint(blockNumber), blockIndex],
};

type Row = { [Name in keyof TransactionFailure]: TransactionFailure[Name] };

export const createFailureStore = ({ pool }: Pick<Database, "pool">): FailureStore => ({
  byTransaction: createKeyedRows<Row, FailureKey>(pool, BY_TRANSACTION),
});
