import { INTERVALS, periodStart } from "../../../../core/periods.ts";
import type { Session } from "../../../shared/writer.ts";
import type { BlockRows } from "../../decode/block.ts";
import { COLUMNS, type Row } from "../../decode/columns.ts";
import { type AddressChange, lastActivity, upsertAddresses } from "./addresses.ts";
import { participants } from "./participants.ts";
import { addToPeriods, type BlockFigures } from "./period-figures.ts";

const BLOCK_ACTIVITY_COLUMNS = [
  "chain_id",
  "block_number",
  "block_timestamp",
  "active_in_hour",
  "active_in_day",
  "active_in_week",
  "active_in_month",
  "new_addresses",
  "new_contracts",
  "erc20_transfers",
] as const;
const GAS_USED = COLUMNS.evm_blocks.indexOf("gas_used");
const FEES_SPENT = COLUMNS.evm_blocks.indexOf("fees_spent");

/**
 * Stores the activity of blocks that follow all stored ones: the rows of the blocks, of their addresses and of their periods.
 * The genesis block has none. Four statements. The chain's head must be locked.
 */
export async function insertActivity(session: Session, chainId: string, blocks: readonly BlockRows[]): Promise<void> {
  const counted = blocks
    .filter(({ number }) => number > 0)
    .map((block): ActiveBlock => ({ block, addresses: participants(block.rows.evm_transactions) }));
  if (counted.length === 0) return;
  const asked = new Set(counted.flatMap(({ addresses }) => [...addresses.keys()]));
  const last = await lastActivity(session, chainId, [...asked]);
  const figures = counted.map((one) => figuresOf(one, last));
  await session.copy(
    "evm_block_activity",
    BLOCK_ACTIVITY_COLUMNS,
    figures.map((one, i) => rowOf(chainId, counted[i]?.block.number ?? 0, one)),
  );
  await upsertAddresses(session, chainId, changesOf(counted));
  await addToPeriods(session, chainId, figures);
}

interface ActiveBlock {
  readonly block: BlockRows;
  /** The active addresses, with the number of their transactions. */
  readonly addresses: ReadonlyMap<string, number>;
}

/** The figures of a block. Moves `last`, the time of the last activity of each address, to this block. */
function figuresOf({ block, addresses }: ActiveBlock, last: Map<string, number>): BlockFigures & BlockCounts {
  const { rows, timestamp: text } = block;
  const timestamp = Number(text);
  const starts = INTERVALS.map((interval) => periodStart(interval, timestamp));
  const active = INTERVALS.map(() => 0);
  let newAddresses = 0;
  for (const address of addresses.keys()) {
    const before = last.get(address);
    if (before === undefined) newAddresses++;
    for (const [i, start] of starts.entries())
      if (before === undefined || before < start) active[i] = (active[i] ?? 0) + 1;
    last.set(address, timestamp);
  }
  const [row] = rows.evm_blocks;
  return {
    timestamp,
    active,
    blocks: 1,
    transactions: rows.evm_transactions.length,
    gas_used: BigInt(row?.[GAS_USED] ?? 0),
    fees_spent: BigInt(row?.[FEES_SPENT] ?? 0),
    new_addresses: newAddresses,
    new_contracts: rows.evm_deployments.length,
    erc20_transfers: rows.erc20_transfers.length,
  };
}

type BlockCounts = Readonly<Record<"new_addresses" | "new_contracts" | "erc20_transfers", number>>;

function rowOf(chainId: string, number: number, figures: BlockFigures & BlockCounts): Row {
  const { timestamp, active, new_addresses, new_contracts, erc20_transfers } = figures;
  return [chainId, ...[number, timestamp, ...active, new_addresses, new_contracts, erc20_transfers].map(String)];
}

function changesOf(blocks: readonly ActiveBlock[]): Map<string, AddressChange> {
  const changes = new Map<string, AddressChange>();
  for (const { block, addresses } of blocks) {
    const [lastBlock, lastTimestamp] = [block.number, Number(block.timestamp)];
    for (const [address, transactions] of addresses) {
      const change = changes.get(address);
      if (!change) changes.set(address, { firstBlock: lastBlock, lastBlock, lastTimestamp, transactions });
      else {
        change.lastBlock = lastBlock;
        change.lastTimestamp = lastTimestamp;
        change.transactions += transactions;
      }
    }
  }
  return changes;
}
