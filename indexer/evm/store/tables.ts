import type { EncodedCopy } from "../../shared/copy-query.ts";
import { createPartitionsOf } from "../../shared/partitions.ts";
import { copyOf } from "../../shared/table-rows.ts";
import type { Writer } from "../../shared/writer.ts";
import { TABLES, type Table } from "../decode/tables.ts";

/** Tables of contracts and tokens, each with the block in which it first appeared. */
export const FIRST_SEEN_TABLES = ["erc20_tokens", "nft_contracts", "nft_items"] as const;
export type FirstSeenTable = (typeof FIRST_SEEN_TABLES)[number];

/** Tables of the holders, supplies and counters of tokens, which are derived from balances and transfers. */
export const HOLDING_TABLES = [
  "erc20_holders",
  "erc20_supplies",
  "erc20_counts",
  "nft_holdings",
  "nft_item_balances",
  "nft_holders",
  "nft_collection_balances",
  "nft_supplies",
  "nft_counts",
  "erc1155_supplies",
] as const;
export type HoldingTable = (typeof HOLDING_TABLES)[number];

/** Tables that have a partition for each chain. */
export const PARTITIONED = [
  ...TABLES,
  ...FIRST_SEEN_TABLES,
  "erc20_balances",
  ...HOLDING_TABLES,
  "evm_block_activity",
  "evm_addresses",
  "nft_metadata",
  "raw_token_answers",
  "raw_traces",
  "raw_blocks",
] as const;
export type PartitionedTable = (typeof PARTITIONED)[number];

/** Creates all missing partitions of the chain. */
export async function createPartitions(writer: Pick<Writer, "transaction">, chainId: string): Promise<void> {
  await createPartitionsOf(writer, PARTITIONED, chainId);
}

/** The rows of some tables of blocks, without tables that have none. */
export function copiesOfBlocks(
  blocks: readonly { readonly encoded: Readonly<Record<Table, Buffer | null>> }[],
  tables: readonly Table[],
): EncodedCopy[] {
  return tables
    .map((table) =>
      copyOf(
        table,
        blocks.map(({ encoded }) => encoded[table]).filter((part) => part !== null),
      ),
    )
    .filter(({ parts }) => parts.length > 0);
}
