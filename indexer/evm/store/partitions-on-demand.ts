import pg from "pg";
import { createPartitionsOf } from "../../shared/partitions.ts";
import { createTaskQueue } from "../../shared/task-queue.ts";
import type { Writer } from "../../shared/writer.ts";
import type { PartitionedTable } from "./tables.ts";

/** Tables that have rows of every chain, or whose partitions statements name. They get their partitions when a chain is first indexed. */
export const FIRST_PARTITIONS: readonly PartitionedTable[] = [
  "raw_blocks",
  "evm_blocks",
  "evm_transactions",
  "evm_block_activity",
  "evm_addresses",
  "erc20_holders",
];

/** Other tables that get rows together. */
const GROUPS: readonly (readonly PartitionedTable[])[] = [
  ["raw_traces", "evm_internal_transactions"],
  ["erc20_transfers", "erc20_balances", "erc20_supplies", "erc20_counts", "erc20_tokens"],
  [
    "nft_contracts",
    "nft_items",
    "nft_holdings",
    "nft_item_balances",
    "nft_holders",
    "nft_collection_balances",
    "nft_supplies",
    "nft_counts",
  ],
  ["erc1155_transfers", "erc1155_supplies"],
];

/** SQLSTATE of a row that no partition takes. That of a violated constraint is the same, but such an error names the constraint. */
const NO_PARTITION = "23514";

/**
 * A writer of a chain that creates a partition when a table gets its first row of the chain: the transaction is rolled back, and its task
 * runs again. An empty partition has up to ten indexes, so those of a chain without tokens would take two thirds of its space.
 */
export function createPartitionsOnDemand(writer: Writer, chainId: string): Writer {
  // The transactions that follow wait until the task has run again.
  const enqueue = createTaskQueue();
  return {
    ...writer,
    transaction: (task, options) =>
      enqueue(async () => {
        const created = new Set<string>();
        for (;;)
          try {
            return await writer.transaction(task, options);
          } catch (error) {
            const table = tableWithoutPartition(error);
            if (table === null || created.has(table)) throw error;
            created.add(table);
            await createPartitionsOf(writer, groupOf(table), chainId);
          }
      }),
    [Symbol.asyncDispose]: () => enqueue(async () => writer[Symbol.asyncDispose]()),
  };
}

/** Creates the partitions that a chain needs from its first block on. */
export async function createFirstPartitions(writer: Pick<Writer, "transaction">, chainId: string): Promise<void> {
  await createPartitionsOf(writer, FIRST_PARTITIONS, chainId);
}

const groupOf = (table: string): readonly string[] =>
  [FIRST_PARTITIONS, ...GROUPS].find((group) => (group as readonly string[]).includes(table)) ?? [table];

function tableWithoutPartition(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== NO_PARTITION || error.constraint !== undefined)
    return null;
  return error.table ?? null;
}
