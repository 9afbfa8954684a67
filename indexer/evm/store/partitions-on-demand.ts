import pg from "pg";
import { createPartitionsOf } from "../../shared/partitions.ts";
import { createTaskQueue } from "../../shared/task-queue.ts";
import type { Writer } from "../../shared/writer.ts";
import { PARTITIONED, type PartitionedTable } from "./tables.ts";

/** Tables that have rows of every chain, or whose partitions statements name. They get their partitions when a chain is first indexed. */
const FIRST_PARTITIONS: readonly PartitionedTable[] = [
  "raw_blocks",
  "raw_traces",
  "evm_blocks",
  "evm_transactions",
  "evm_block_activity",
  "evm_addresses",
  "erc20_holders",
];

const OF_NFTS: readonly PartitionedTable[] = [
  "nft_contracts",
  "nft_items",
  "nft_holdings",
  "nft_item_balances",
  "nft_holders",
  "nft_collection_balances",
  "nft_supplies",
  "nft_counts",
  "raw_token_answers",
];

/** Tables that get rows with those of another table. */
const WITH: { readonly [Name in PartitionedTable]?: readonly PartitionedTable[] } = {
  erc20_transfers: ["erc20_balances", "erc20_supplies", "erc20_counts", "erc20_tokens", "raw_token_answers"],
  erc721_transfers: OF_NFTS,
  erc1155_transfers: [...OF_NFTS, "erc1155_supplies"],
};

/** SQLSTATE of a row that no partition takes. That of a violated constraint is the same, but such an error names the constraint. */
const NO_PARTITION = "23514";

/** Tables lack partitions. Not an error of PostgreSQL, which would log the statements. */
class PartitionsMissing extends Error {
  constructor(readonly tables: readonly string[]) {
    super(`partitions of ${tables.join(", ")} are missing`);
  }
}

/**
 * A writer of a chain that creates a partition when a table gets its first row of the chain: the transaction is rolled back, and its task
 * runs again. An empty partition has up to ten indexes, so those of a chain without tokens would take two thirds of its space.
 */
export function createPartitionsOnDemand(writer: Writer, chainId: string): Writer {
  // The transactions that follow wait until the task has run again.
  const enqueue = createTaskQueue();
  const known = new Set<string>();
  const requirePartitions = (tables: readonly string[]) => {
    const unknown = withOthers(tables).filter((table) => !known.has(table));
    if (unknown.length > 0) throw new PartitionsMissing(unknown);
  };
  const createFor = async (failure: unknown): Promise<void> => {
    const tables = missingIn(failure);
    if (tables.length === 0 || tables.every((table) => known.has(table))) throw failure;
    await createPartitionsOf(writer, tables, chainId);
    for (const table of tables) known.add(table);
  };
  return {
    ...writer,
    transaction: (task, options) =>
      enqueue(async () => {
        for (;;)
          try {
            return await writer.transaction((session) => task({ ...session, requirePartitions }), options);
          } catch (error) {
            await createFor(error);
          }
      }),
    [Symbol.asyncDispose]: () => enqueue(async () => writer[Symbol.asyncDispose]()),
  };
}

/** Creates the partitions that a chain needs from its first block on. */
export async function createFirstPartitions(writer: Pick<Writer, "transaction">, chainId: string): Promise<void> {
  await createPartitionsOf(writer, FIRST_PARTITIONS, chainId);
}

const withOthers = (tables: readonly string[]): string[] => [
  ...new Set(tables.flatMap((table) => [table, ...(WITH[table as PartitionedTable] ?? [])])),
];

/** The tables whose partitions were missing; none if this was not the reason of the failure. */
function missingIn(failure: unknown): readonly string[] {
  if (failure instanceof PartitionsMissing) return failure.tables;
  if (!(failure instanceof pg.DatabaseError) || failure.code !== NO_PARTITION || failure.constraint !== undefined)
    return [];
  // An error of a worker of Citus has the name only in its message, with the number of the shard at its end.
  const relation = failure.table ?? /"(\w+?)(_\d+)?"/.exec(failure.message)?.[1];
  return PARTITIONED.filter((table) => table === relation);
}
