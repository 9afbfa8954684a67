import { INTERVALS, periodStart } from "../../../../core/networks/periods.ts";
import { allEnded } from "../../../shared/all-ended.ts";
import { copiesOf, type TableRow } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";
import type { EncodedBlock } from "../../decode/encoded-block.ts";
import { type AddressChange, lastActivity, writeAddresses } from "./addresses.ts";
import type { BlockFigures } from "./period-figures.ts";

/**
 * Stores the activity of blocks that follow all stored ones: the rows of the blocks and of their addresses. Returns what the caller must
 * then add to the figures of periods (`addToPeriods`): nothing for the genesis block. Executes two statements and two COPYs.
 */
export async function insertActivity(
  session: Session,
  chainId: string,
  blocks: readonly EncodedBlock[],
): Promise<readonly BlockFigures[]> {
  const counted = blocks.filter(({ number }) => number > 0);
  if (counted.length === 0) return [];
  const addresses = new Map<string, ActiveAddress>();
  const active = counted.map((block) => activeIn(block, addresses));
  const last = await lastActivity(session, chainId, [...addresses.keys()]);
  for (const [i, change] of [...addresses.values()].entries()) {
    change.activeBefore = last[i] ?? null;
    change.isKnown = change.activeBefore !== null;
  }
  const figures = counted.map((block, i) => figuresOf(block, active[i] ?? []));
  const rows = figures.map((one, i) => rowOf(counted[i]?.number ?? 0, one));
  await allEnded({
    blocks: session.copy(copiesOf("evm_block_activity", chainId, rows)),
    addresses: writeAddresses(session, chainId, addresses),
  });
  return figures;
}

/** An address that is active in the blocks. */
interface ActiveAddress extends AddressChange {
  /** Time of its last activity before the current block; null: none. */
  activeBefore: number | null;
}

/** The addresses that are active in a block, each once. Adds the block to their changes in `addresses`. */
function activeIn(
  { number, timestamp, participants }: EncodedBlock,
  addresses: Map<string, ActiveAddress>,
): ActiveAddress[] {
  const lastTimestamp = Number(timestamp);
  const active: ActiveAddress[] = [];
  for (const ofTransaction of participants)
    for (const address of ofTransaction) {
      let change = addresses.get(address);
      if (!change) {
        change = {
          isKnown: false,
          activeBefore: null,
          firstBlock: number,
          lastBlock: -1,
          lastTimestamp,
          transactions: 0,
        };
        addresses.set(address, change);
      }
      if (change.lastBlock !== number) active.push(change);
      change.lastBlock = number;
      change.lastTimestamp = lastTimestamp;
      change.transactions++;
    }
  return active;
}

/** The figures of a block. Sets `activeBefore` of its addresses to this block. */
function figuresOf(
  { timestamp: text, participants, gasUsed, feesSpent, deployments, erc20Transfers }: EncodedBlock,
  addresses: readonly ActiveAddress[],
): BlockFigures & BlockCounts {
  const timestamp = Number(text);
  const starts = INTERVALS.map((interval) => periodStart(interval, timestamp));
  const lastStart = Math.max(...starts);
  const active = INTERVALS.map(() => 0);
  let newAddresses = 0;
  for (const address of addresses) {
    const before = address.activeBefore;
    address.activeBefore = timestamp;
    // Most addresses were active in the same hour.
    if (before !== null && before >= lastStart) continue;
    if (before === null) newAddresses++;
    for (const [i, start] of starts.entries()) if (before === null || before < start) active[i] = (active[i] ?? 0) + 1;
  }
  return {
    timestamp,
    active,
    blocks: 1,
    transactions: participants.length,
    gas_used: gasUsed,
    fees_spent: feesSpent,
    new_addresses: newAddresses,
    new_contracts: deployments,
    erc20_transfers: erc20Transfers,
  };
}

type BlockCounts = Readonly<Record<"new_addresses" | "new_contracts" | "erc20_transfers", number>>;

function rowOf(number: number, figures: BlockFigures & BlockCounts): TableRow<"evm_block_activity"> {
  const { timestamp, active, new_addresses, new_contracts, erc20_transfers } = figures;
  const [hour = 0, day = 0, week = 0, month = 0] = active;
  return {
    block_number: number,
    block_timestamp: timestamp,
    active_in_hour: hour,
    active_in_day: day,
    active_in_week: week,
    active_in_month: month,
    new_addresses,
    new_contracts,
    erc20_transfers,
  };
}
