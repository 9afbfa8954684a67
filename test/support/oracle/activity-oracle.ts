import type { ChainContracts, NodeBlock } from "../recorded/node-chain.ts";
import type { FactRow } from "./fact-row.ts";
import type { Facts } from "./facts-oracle.ts";

/** The tables of a chain's activity. */
export const ACTIVITY_TABLES = ["evm_block_activity", "evm_activity", "evm_addresses"] as const;
export type ActivityRows = Readonly<Record<(typeof ACTIVITY_TABLES)[number], readonly FactRow[]>>;

const DAY_MS = 86_400_000;

/** First second of the period that contains a second, by the text of dates. */
export const PERIODS: Readonly<Record<string, (seconds: number) => number>> = {
  HOUR: (seconds) => secondsOf(`${textOf(seconds).slice(0, 13)}:00:00.000Z`),
  DAY: (seconds) => secondsOf(`${textOf(seconds).slice(0, 10)}T00:00:00.000Z`),
  WEEK: (seconds) => {
    let day = new Date(`${textOf(seconds).slice(0, 10)}T00:00:00.000Z`);
    while (day.getUTCDay() !== 1) day = new Date(day.getTime() - DAY_MS);
    return day.getTime() / 1_000;
  },
  MONTH: (seconds) => secondsOf(`${textOf(seconds).slice(0, 7)}-01T00:00:00.000Z`),
};

const textOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const secondsOf = (text: string): number => Date.parse(text) / 1_000;

/** What a block contributes, read from the node's JSON and from the oracle's other rows. */
interface Contribution {
  readonly number: string;
  readonly seconds: number;
  readonly transactions: number;
  readonly gasUsed: bigint;
  readonly fees: bigint;
  /** The addresses of each transaction. */
  readonly addresses: readonly ReadonlySet<string>[];
  readonly contracts: number;
  readonly erc20Transfers: number;
}

/**
 * The expected activity of the blocks, in this order, whose other rows are `facts`. It counts the blocks one after another,
 * without batches and without stored state, and uses no code of the indexer.
 */
export function expectedActivity(
  { chainId }: ChainContracts,
  blocks: readonly NodeBlock[],
  facts: Facts,
): ActivityRows {
  const chain = { chain_id: String(chainId) };
  const counted = blocks.filter(({ block }) => Number(block.number) > 0).map((block) => contributionOf(block, facts));
  return {
    evm_block_activity: blockRows(counted).map((row) => ({ ...chain, ...row })),
    evm_activity: Object.entries(PERIODS).flatMap(([interval, startOf]) =>
      periodRows(counted, startOf).map((row) => ({ ...chain, interval, ...row })),
    ),
    evm_addresses: addressRows(counted).map((row) => ({ ...chain, ...row })),
  };
}

function contributionOf({ block, receipts }: NodeBlock, { evm_deployments, erc20_transfers }: Facts): Contribution {
  const number = String(Number(block.number));
  const isOfBlock = ({ block_number }: FactRow) => block_number === number;
  return {
    number,
    seconds: Number(block.timestamp),
    transactions: block.transactions.length,
    gasUsed: BigInt(block.gasUsed),
    fees: receipts.reduce(
      (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
      0n,
    ),
    addresses: block.transactions.map(({ from, to }, i) => {
      const addresses = new Set<string>([from]);
      const receipt = receipts[i];
      if (to) addresses.add(to);
      if (receipt?.contractAddress && receipt.status === "0x1") addresses.add(receipt.contractAddress);
      return addresses;
    }),
    contracts: evm_deployments.filter(isOfBlock).length,
    erc20Transfers: erc20_transfers.filter(isOfBlock).length,
  };
}

const addressesOf = ({ addresses }: Contribution): Set<string> => new Set(addresses.flatMap((one) => [...one]));

function blockRows(blocks: readonly Contribution[]): FactRow[] {
  /** Period and address as one text. The period `ever` is the whole time of the chain. */
  const seen = new Set<string>();
  const countNew = (block: Contribution, period: string): string => {
    const keys = [...addressesOf(block)].map((address) => `${period} ${address}`).filter((key) => !seen.has(key));
    for (const key of keys) seen.add(key);
    return String(keys.length);
  };
  return blocks.map((block): FactRow => {
    const periodOf = (interval: string) => `${interval} ${PERIODS[interval]?.(block.seconds)}`;
    return {
      block_number: block.number,
      block_timestamp: String(block.seconds),
      active_in_hour: countNew(block, periodOf("HOUR")),
      active_in_day: countNew(block, periodOf("DAY")),
      active_in_week: countNew(block, periodOf("WEEK")),
      active_in_month: countNew(block, periodOf("MONTH")),
      new_addresses: countNew(block, "ever"),
      new_contracts: String(block.contracts),
      erc20_transfers: String(block.erc20Transfers),
    };
  });
}

function periodRows(blocks: readonly Contribution[], startOf: (seconds: number) => number): FactRow[] {
  const starts = [...new Set(blocks.map(({ seconds }) => startOf(seconds)))];
  const before = new Set<string>();
  return starts.map((start): FactRow => {
    const inPeriod = blocks.filter(({ seconds }) => startOf(seconds) === start);
    const sum = (amountOf: (block: Contribution) => number | bigint): string =>
      inPeriod.reduce((total, block) => total + BigInt(amountOf(block)), 0n).toString();
    const active = new Set(inPeriod.flatMap((block) => [...addressesOf(block)]));
    const known = before.size;
    for (const address of active) before.add(address);
    return {
      period_start: String(start),
      blocks: String(inPeriod.length),
      transactions: sum(({ transactions }) => transactions),
      gas_used: sum(({ gasUsed }) => gasUsed),
      fees_spent: sum(({ fees }) => fees),
      active_addresses: String(active.size),
      new_addresses: String(before.size - known),
      new_contracts: sum(({ contracts }) => contracts),
      erc20_transfers: sum(({ erc20Transfers }) => erc20Transfers),
    };
  });
}

function addressRows(blocks: readonly Contribution[]): FactRow[] {
  const active = new Map<string, Contribution[]>();
  for (const block of blocks)
    for (const addresses of block.addresses)
      for (const address of addresses) active.set(address, [...(active.get(address) ?? []), block]);
  return [...active].map(([address, blocksOfTransactions]) => ({
    address,
    first_block_number: blocksOfTransactions[0]?.number ?? null,
    last_block_number: blocksOfTransactions.at(-1)?.number ?? null,
    last_block_timestamp: String(blocksOfTransactions.at(-1)?.seconds),
    transaction_count: String(blocksOfTransactions.length),
  }));
}
