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
  readonly number: number;
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
 * The expected activity of the blocks, in this order, whose other rows are `facts`. Everything is counted anew for each row. It
 * uses no code of the indexer.
 */
export function expectedActivity(
  { chainId }: ChainContracts,
  blocks: readonly NodeBlock[],
  facts: Facts,
): ActivityRows {
  const counted = blocks.map((block) => contributionOf(block, facts)).filter(({ number }) => number > 0);
  return {
    evm_block_activity: counted.map((_, index) => ({ chain_id: String(chainId), ...blockRow(counted, index) })),
    evm_activity: Object.entries(PERIODS).flatMap(([interval, startOf]) =>
      [...new Set(counted.map(({ seconds }) => startOf(seconds)))].map((start) => ({
        chain_id: String(chainId),
        interval,
        period_start: String(start),
        ...periodRow(
          counted,
          counted.filter(({ seconds }) => startOf(seconds) === start),
        ),
      })),
    ),
    evm_addresses: [...addressesOf(counted)].map((address) => ({
      chain_id: String(chainId),
      address,
      ...addressRow(counted, address),
    })),
  };
}

function contributionOf({ block, receipts }: NodeBlock, { evm_deployments, erc20_transfers }: Facts): Contribution {
  const number = Number(block.number);
  const isOfBlock = ({ block_number }: FactRow) => block_number === String(number);
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

function addressesOf(blocks: readonly Contribution[]): Set<string> {
  return new Set(blocks.flatMap(({ addresses }) => addresses.flatMap((one) => [...one])));
}

const countWithout = (addresses: ReadonlySet<string>, others: ReadonlySet<string>): number =>
  [...addresses].filter((address) => !others.has(address)).length;

function blockRow(blocks: readonly Contribution[], index: number): FactRow {
  const block = blocks[index] as Contribution;
  const before = blocks.slice(0, index);
  const addresses = addressesOf([block]);
  const activeIn = (interval: keyof typeof PERIODS): string => {
    const startOf = PERIODS[interval] as (seconds: number) => number;
    const inPeriod = before.filter(({ seconds }) => startOf(seconds) === startOf(block.seconds));
    return String(countWithout(addresses, addressesOf(inPeriod)));
  };
  return {
    block_number: String(block.number),
    block_timestamp: String(block.seconds),
    active_in_hour: activeIn("HOUR"),
    active_in_day: activeIn("DAY"),
    active_in_week: activeIn("WEEK"),
    active_in_month: activeIn("MONTH"),
    new_addresses: String(countWithout(addresses, addressesOf(before))),
    new_contracts: String(block.contracts),
    erc20_transfers: String(block.erc20Transfers),
  };
}

function periodRow(blocks: readonly Contribution[], inPeriod: readonly Contribution[]): FactRow {
  const before = blocks.filter(({ number }) => number < (inPeriod[0]?.number ?? 0));
  const sum = (amountOf: (block: Contribution) => number | bigint): string =>
    inPeriod.reduce((total, block) => total + BigInt(amountOf(block)), 0n).toString();
  return {
    blocks: String(inPeriod.length),
    transactions: sum(({ transactions }) => transactions),
    gas_used: sum(({ gasUsed }) => gasUsed),
    fees_spent: sum(({ fees }) => fees),
    active_addresses: String(addressesOf(inPeriod).size),
    new_addresses: String(countWithout(addressesOf(inPeriod), addressesOf(before))),
    new_contracts: sum(({ contracts }) => contracts),
    erc20_transfers: sum(({ erc20Transfers }) => erc20Transfers),
  };
}

function addressRow(blocks: readonly Contribution[], address: string): FactRow {
  const active = blocks.filter((block) => block.addresses.some((addresses) => addresses.has(address)));
  const transactions = active.flatMap(({ addresses }) => addresses.filter((one) => one.has(address)));
  return {
    first_block_number: String(active[0]?.number),
    last_block_number: String(active.at(-1)?.number),
    last_block_timestamp: String(active.at(-1)?.seconds),
    transaction_count: String(transactions.length),
  };
}
