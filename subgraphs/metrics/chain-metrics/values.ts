import { gasPrice, perSecond } from "../activity/averages.ts";
import type { Period } from "../activity/pages.ts";
import type { Sums } from "../activity/store.ts";
import type { ChainMetric } from "./types.ts";

/** Value of a metric in one period. */
const OF_PERIOD: Readonly<Partial<Record<ChainMetric, (period: Period) => string>>> = {
  avgTps: ({ transactions, seconds }) => perSecond(transactions, seconds),
  txCount: ({ transactions }) => transactions,
  gasUsed: ({ gasUsed }) => gasUsed,
  feesPaid: ({ feesSpent }) => feesSpent,
  activeAddresses: ({ activeAddresses }) => activeAddresses,
  contracts: ({ newContracts }) => newContracts,
  avgGps: ({ gasUsed, seconds }) => perSecond(gasUsed, seconds),
  avgGasPrice: ({ feesSpent, gasUsed }) => gasPrice(feesSpent, gasUsed) ?? "0",
};

/** The count that a metric sums up since the genesis. */
const SUMMED: Readonly<Partial<Record<ChainMetric, keyof Sums>>> = {
  cumulativeTxCount: "transactions",
  cumulativeAddresses: "newAddresses",
  cumulativeContracts: "newContracts",
};

/** True if the metric is a sum since the genesis. */
export function isCumulative(metric: ChainMetric): boolean {
  return metric in SUMMED;
}

/** Values of a metric in the periods of a page. */
export function valuesOf(
  metric: ChainMetric,
  { items, sums }: { readonly items: readonly Period[]; readonly sums: Sums | null },
): string[] {
  const summed = SUMMED[metric];
  if (summed && sums) return sumsAfter(items, summed, BigInt(sums[summed]));
  const ofPeriod = OF_PERIOD[metric];
  if (!ofPeriod) throw new Error(`no value of the metric ${metric}`);
  return items.map(ofPeriod);
}

/** The sum after each period, newest first. `sum` is the sum after the newest period. */
function sumsAfter(periods: readonly Period[], count: keyof Sums, sum: bigint): string[] {
  let rest = sum;
  return periods.map((period) => {
    const value = rest;
    rest -= BigInt(period[count]);
    return value.toString();
  });
}
