import { roundedQuotient, twoDecimals } from "./quotients.ts";

/** Counts of a span of time, as decimal text. */
interface Counts {
  readonly transactions: string;
  readonly gasUsed: string;
  readonly feesSpent: string;
}

export interface Averages {
  readonly averageTps: number;
  readonly averageGasPerSecond: number;
  readonly averageGasPrice: string | null;
}

/** The averages over a span of `seconds`. */
export function averagesOf({ transactions, gasUsed, feesSpent }: Counts, seconds: number): Averages {
  return {
    averageTps: Number(perSecond(transactions, seconds)),
    averageGasPerSecond: Number(perSecond(gasUsed, seconds)),
    averageGasPrice: gasPrice(feesSpent, gasUsed),
  };
}

/** A count per second as decimal text with at most two decimals. */
export function perSecond(count: string, seconds: number): string {
  return twoDecimals(BigInt(count), BigInt(seconds));
}

/** Fees per unit of gas as an integer; null without gas. */
export function gasPrice(feesSpent: string, gasUsed: string): string | null {
  return gasUsed === "0" ? null : roundedQuotient(BigInt(feesSpent), BigInt(gasUsed)).toString();
}
