import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { UnfitValue } from "../../shared/binary-rows.ts";
import { encodeRows } from "../../shared/table-rows.ts";
import { mapBlocks } from "../batches.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { type BlockRows, decodeBlock } from "./block.ts";
import type { ChainRules } from "./chain-rules.ts";
import { participants } from "./participants.ts";
import { type RowsOf, TABLES, type Table } from "./tables.ts";

/**
 * The rows of a block as they are sent to PostgreSQL, and what other tables need of them. A batch of blocks in this form takes a few
 * objects of the heap instead of thousands, which the garbage collector would copy while the batch waits.
 */
export interface EncodedBlock extends Omit<BlockRows, "rows"> {
  /** The rows of each table in the binary format of COPY; null without rows. */
  readonly encoded: Readonly<Record<Table, Buffer | null>>;
  readonly nftTransfers: RowsOf<"erc721_transfers" | "erc1155_transfers">;
  /** Hashes of the transactions, hex without `0x`. */
  readonly transactionHashes: readonly string[];
  /** The addresses that are active in each transaction, hex without `0x`. */
  readonly participants: readonly (readonly string[])[];
  readonly gasUsed: bigint;
  readonly feesSpent: bigint;
  readonly deployments: number;
  readonly erc20Transfers: number;
  /** How many ERC-20 transfers of each token (hex without `0x`) the block has. */
  readonly erc20TransferCounts: ReadonlyMap<string, number>;
}

/** The rows of consecutive blocks that follow a block with `cumulativeTransactions`. Rejects with `BadUpstreamData`. */
export async function decodeBlocks(
  rules: ChainRules,
  { cumulativeTransactions }: Pick<BlockRows, "cumulativeTransactions">,
  raws: readonly RawBlock[],
): Promise<EncodedBlock[]> {
  let before = cumulativeTransactions;
  return mapBlocks(raws, (raw) => {
    const block = encodedBlock(decodeBlock(rules, raw, before));
    before = block.cumulativeTransactions;
    return block;
  });
}

/** Takes a block that `decodeBlock` returned. Throws `BadUpstreamData`. */
export function encodedBlock({ rows, ...block }: BlockRows): EncodedBlock {
  const [blockRow] = rows.evm_blocks;
  return {
    ...block,
    encoded: encodedTables(block, rows),
    nftTransfers: { erc721_transfers: rows.erc721_transfers, erc1155_transfers: rows.erc1155_transfers },
    transactionHashes: rows.evm_transactions.map(({ tx_hash }) => tx_hash),
    participants: rows.evm_transactions.map(participants),
    gasUsed: BigInt(blockRow?.gas_used ?? 0),
    feesSpent: BigInt(blockRow?.fees_spent ?? 0),
    deployments: rows.evm_deployments.length,
    erc20Transfers: rows.erc20_transfers.length,
    erc20TransferCounts: transferCounts(block, rows),
  };
}

/** The keys are the texts that the block has already, so that the batch keeps no other parts of the node's answer in memory. */
function transferCounts({ tokens }: Pick<BlockRows, "tokens">, rows: RowsOf<"erc20_transfers">): Map<string, number> {
  const counts = new Map(tokens.map((token) => [token, 0]));
  for (const { token_address } of rows.erc20_transfers) counts.set(token_address, (counts.get(token_address) ?? 0) + 1);
  return counts;
}

type BlockPlace = Pick<BlockRows, "chainId" | "number">;

/** Throws `BadUpstreamData` if a value does not fit its column. */
function encodedTables(block: BlockPlace, rows: RowsOf<Table>): EncodedBlock["encoded"] {
  const entries = TABLES.map((table) => [table, rows[table].length > 0 ? encodedTable(block, table, rows) : null]);
  return Object.fromEntries(entries) as EncodedBlock["encoded"];
}

function encodedTable({ chainId, number }: BlockPlace, table: Table, rows: RowsOf<Table>): Buffer {
  try {
    return encodeRows(table, chainId, rows[table]);
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    throw new BadUpstreamData(`block ${number} cannot be stored in ${table}: ${error.message}`);
  }
}
