import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { binaryRows } from "../../shared/binary-rows.ts";
import { mapBlocks } from "../batches.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { type BlockRows, decodeBlock } from "./block.ts";
import type { ChainRules } from "./chain-rules.ts";
import { COLUMN_TYPES, COLUMNS, type Row, type RowsOf, TABLES, type Table } from "./columns.ts";
import { participants } from "./participants.ts";

const HASH = COLUMNS.evm_transactions.indexOf("tx_hash");
const GAS_USED = COLUMNS.evm_blocks.indexOf("gas_used");
const FEES_SPENT = COLUMNS.evm_blocks.indexOf("fees_spent");

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
    encoded: encodedTables(block.number, rows),
    nftTransfers: { erc721_transfers: rows.erc721_transfers, erc1155_transfers: rows.erc1155_transfers },
    transactionHashes: transactionHashesOf(rows.evm_transactions),
    participants: rows.evm_transactions.map(participants),
    gasUsed: BigInt(blockRow?.[GAS_USED] ?? 0),
    feesSpent: BigInt(blockRow?.[FEES_SPENT] ?? 0),
    deployments: rows.evm_deployments.length,
    erc20Transfers: rows.erc20_transfers.length,
  };
}

/** The hashes in rows of `evm_transactions`, hex without `0x`. */
export const transactionHashesOf = (rows: readonly Row[]): string[] => rows.map((row) => row[HASH] as string);

/** Throws `BadUpstreamData` if a value does not fit its column. */
function encodedTables(number: number, rows: RowsOf<Table>): EncodedBlock["encoded"] {
  const entries = TABLES.map((table) => {
    const ofTable = rows[table];
    return [table, ofTable.length > 0 ? encodedTable(number, table, ofTable) : null];
  });
  return Object.fromEntries(entries) as EncodedBlock["encoded"];
}

function encodedTable(number: number, table: Table, rows: readonly Row[]): Buffer {
  try {
    return binaryRows(COLUMN_TYPES[table], rows);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BadUpstreamData(`block ${number} cannot be stored in ${table}: ${error.message}`);
  }
}
