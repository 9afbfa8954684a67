import type { NodeBlock } from "../recorded/node-chain.ts";
import { PERIODS } from "./activity-oracle.ts";
import type { Facts } from "./facts-oracle.ts";

/** What the metrics of a chain count in a block. */
export interface CountedBlock {
  readonly number: number;
  readonly seconds: number;
  readonly transactions: number;
  readonly gasUsed: bigint;
  readonly fees: bigint;
  /** Active addresses. */
  readonly addresses: readonly string[];
  readonly contracts: number;
  readonly erc20Transfers: number;
}

/** The expected item of `Chain.activity`. */
export interface ExpectedPeriod extends ExpectedSpan {
  readonly periodStart: number;
  readonly periodEnd: number;
  readonly isComplete: boolean;
  readonly activeAddresses: string;
}

/** The expected figures of any span of time. */
export interface ExpectedSpan {
  readonly blocks: string;
  readonly transactions: string;
  readonly gasUsed: string;
  readonly feesSpent: string;
  readonly newAddresses: string;
  readonly newContracts: string;
  readonly erc20Transfers: string;
  readonly averageTps: number;
  readonly averageGasPerSecond: number;
  readonly averageGasPrice: string | null;
}

/** The blocks of a recording, without the genesis block. `facts` are the oracle's rows of the same blocks. */
export function countedBlocks(blocks: readonly NodeBlock[], facts: Facts): CountedBlock[] {
  const counted: CountedBlock[] = [];
  for (const { block, receipts } of blocks) {
    const number = Number(block.number);
    if (number === 0) continue;
    const addresses: string[] = [];
    let fees = 0n;
    block.transactions.forEach(({ from, to }, index) => {
      const receipt = receipts[index];
      if (!receipt) throw new Error(`no receipt of transaction ${index} of block ${number}`);
      addresses.push(from);
      if (to) addresses.push(to);
      else if (receipt.contractAddress && receipt.status === "0x1") addresses.push(receipt.contractAddress);
      fees += BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
    });
    const countIn = (rows: Facts["evm_deployments"]) =>
      rows.filter(({ block_number }) => block_number === String(number)).length;
    counted.push({
      number,
      seconds: Number(block.timestamp),
      transactions: block.transactions.length,
      gasUsed: BigInt(block.gasUsed),
      fees,
      addresses,
      contracts: countIn(facts.evm_deployments),
      erc20Transfers: countIn(facts.erc20_transfers),
    });
  }
  return counted;
}

/** Every period from that of the first block to that of the last, newest first. Blocks are in the order of the chain. */
export function expectedPeriods(blocks: readonly CountedBlock[], interval: string): ExpectedPeriod[] {
  const startOf = PERIODS[interval];
  const first = blocks[0];
  const last = blocks.at(-1);
  if (!startOf || !first || !last) return [];
  const periods: ExpectedPeriod[] = [];
  for (let start = startOf(first.seconds); start <= last.seconds; ) {
    let end = start;
    while (startOf(end) === start) end += 3_600;
    const within = blocks.filter(({ seconds }) => seconds >= start && seconds < end);
    const isComplete = last.seconds >= end;
    periods.unshift({
      ...expectedSpan(blocks, within, isComplete ? end - start : Math.max(last.seconds - start, 1)),
      periodStart: start,
      periodEnd: end,
      isComplete,
      activeAddresses: String(new Set(within.flatMap(({ addresses }) => addresses)).size),
    });
    start = end;
  }
  return periods;
}

/** The figures of some consecutive blocks of a chain, as averages over a number of seconds. */
export function expectedSpan(
  blocks: readonly CountedBlock[],
  within: readonly CountedBlock[],
  seconds: number,
): ExpectedSpan {
  let transactions = 0;
  let contracts = 0;
  let erc20Transfers = 0;
  let gasUsed = 0n;
  let fees = 0n;
  for (const block of within) {
    transactions += block.transactions;
    contracts += block.contracts;
    erc20Transfers += block.erc20Transfers;
    gasUsed += block.gasUsed;
    fees += block.fees;
  }
  const earlier = blocks.filter(({ number }) => number < (within[0]?.number ?? 0));
  const known = new Set(earlier.flatMap(({ addresses }) => addresses));
  const active = new Set(within.flatMap(({ addresses }) => addresses));
  return {
    blocks: String(within.length),
    transactions: String(transactions),
    gasUsed: String(gasUsed),
    feesSpent: String(fees),
    newAddresses: String([...active].filter((address) => !known.has(address)).length),
    newContracts: String(contracts),
    erc20Transfers: String(erc20Transfers),
    averageTps: halfUp(BigInt(transactions), BigInt(seconds)),
    averageGasPerSecond: halfUp(gasUsed, BigInt(seconds)),
    averageGasPrice: gasUsed === 0n ? null : wholeHalfUp(fees, gasUsed),
  };
}

/** Two decimals by long division: the third decimal decides. */
function halfUp(count: bigint, seconds: bigint): number {
  const thousandths = (count * 1_000n) / seconds;
  const hundredths = thousandths / 10n + (thousandths % 10n >= 5n ? 1n : 0n);
  return Number(hundredths) / 100;
}

function wholeHalfUp(fees: bigint, gas: bigint): string {
  const tenths = (fees * 10n) / gas;
  return String(tenths / 10n + (tenths % 10n >= 5n ? 1n : 0n));
}

/** The values of a metric of the hosted service, in the order of the periods. `blocks` are all blocks of the chain. */
export function expectedValues(
  metric: string,
  periods: readonly ExpectedPeriod[],
  blocks: readonly CountedBlock[],
): number[] {
  return periods.map((period) => {
    const before = blocks.filter(({ seconds }) => seconds < period.periodEnd);
    switch (metric) {
      case "avgTps":
        return period.averageTps;
      case "txCount":
        return Number(period.transactions);
      case "gasUsed":
        return Number(period.gasUsed);
      case "feesPaid":
        return Number(period.feesSpent);
      case "activeAddresses":
        return Number(period.activeAddresses);
      case "contracts":
        return Number(period.newContracts);
      case "avgGps":
        return period.averageGasPerSecond;
      case "avgGasPrice":
        return Number(period.averageGasPrice ?? 0);
      case "cumulativeTxCount":
        return before.reduce((sum, { transactions }) => sum + transactions, 0);
      case "cumulativeContracts":
        return before.reduce((sum, { contracts }) => sum + contracts, 0);
      case "cumulativeAddresses":
        return new Set(before.flatMap(({ addresses }) => addresses)).size;
      default:
        throw new Error(`unknown metric ${metric}`);
    }
  });
}
