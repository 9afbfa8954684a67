import type { Failure } from "../../../core/errors/errors.ts";
import { pageOf, requireHeads } from "../../../core/graph/page.ts";
import { type Interval, periodEnd, periodStart } from "../../../core/networks/periods.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import { LATEST, secondsOf } from "../chains/times.ts";
import type { MetricsContext } from "../context.ts";
import { checkedPage } from "../page-tokens/checked-page.ts";
import type { ActivityRow, StoredActivity, Sums } from "./store.ts";

/** One of the periods from the first to the last one that has a block. If the period itself has no block, its figures are 0. */
export interface Period extends ActivityRow {
  readonly start: number;
  readonly end: number;
  readonly isComplete: boolean;
  /** Length in seconds. For the period of the last indexed block: the seconds from its start to this block, at least 1. */
  readonly seconds: number;
}

export interface PeriodPage {
  /** Newest first. */
  readonly items: readonly Period[];
  readonly nextPageToken: string | null;
  /** Time of the last indexed block. */
  readonly headTimestamp: number;
  /** Sums of all days up to and including the newest one of the page; null unless they were asked for. */
  readonly sums: Sums | null;
}

export interface PeriodRequest {
  /** Name of the list, to which page tokens belong. */
  readonly list: string;
  readonly chainId: string;
  readonly interval: Interval;
  /** Times in seconds, as decimal text. */
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
  readonly page: { readonly size: number; readonly pageToken?: string | null };
  readonly isCumulative?: boolean;
  /** Parameters besides those above, to which page tokens belong. */
  readonly parameters?: readonly string[];
  /** A rule that the request violates, in addition to the rules of `page`. */
  readonly violation?: Failure | null;
}

/** Reads a page of periods. Throws `INVALID_PARAMETER` with every violated rule, or `UNAVAILABLE` if the chain is not indexed. */
export async function readPeriods(request: PeriodRequest, context: MetricsContext): Promise<PeriodPage> {
  const { list, chainId, interval, page: asked, violation, isCumulative = false } = request;
  const from = secondsOf(request.from, 0);
  const to = secondsOf(request.to, LATEST);
  const parameters = [chainId, interval, from, to, ...(request.parameters ?? [])];
  const { size, before } = await checkedPage(
    { list, parameters, page: asked, violations: violation ? [violation] : [] },
    context,
  );
  const until = before === null ? to : Number(before.cursor);
  const key = { chainId, interval, from, until, size: size + 1, isCumulative };
  const stored = await requireIndexed(chainId, await context.load.activity(key), context);
  if (before) requireHeads([before.head], [stored.head]);
  const page = pageOf(periodsOf(stored), size, ({ periodStart }) => periodStart);
  return {
    items: page.items,
    nextPageToken: await context.load.newPageToken({ list, parameters, cursor: page.nextPageToken, head: stored.head }),
    headTimestamp: stored.headTimestamp,
    sums: stored.sumsBeforeUntil,
  };
}

/** At most `size` periods, newest first, without gaps. */
function periodsOf({ interval, from, until, first, last, headTimestamp, rows, size }: StoredActivity): Period[] {
  const byStart = new Map(rows.map((row) => [Number(row.periodStart), row]));
  const periods: Period[] = [];
  const oldest = Math.max(first, from);
  let start = until > last ? last : periodStart(interval, until - 1);
  while (start >= oldest && periods.length < size) {
    const end = periodEnd(interval, start);
    const isComplete = headTimestamp >= end;
    const seconds = Math.max((isComplete ? end : headTimestamp) - start, 1);
    periods.push({ ...(byStart.get(start) ?? emptyRow(start)), start, end, isComplete, seconds });
    start = periodStart(interval, start - 1);
  }
  return periods;
}

function emptyRow(start: number): ActivityRow {
  return {
    periodStart: String(start),
    blocks: "0",
    transactions: "0",
    gasUsed: "0",
    feesSpent: "0",
    activeAddresses: "0",
    newAddresses: "0",
    newContracts: "0",
    erc20Transfers: "0",
  };
}
