import type { Failure } from "../../../core/errors/errors.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import { requireHeads } from "../../../core/graph/page.ts";
import { countPeriods, type Interval, oldestPeriods, periodsIn } from "../../../core/networks/periods.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { LATEST, secondsOf } from "../../shared/schema/times.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { checkedPage } from "../page-tokens/checked-page.ts";
import { type MetricsPage, metricsPageOf } from "../page-tokens/metrics-page.ts";
import type { NumberForm } from "../page-tokens/uuid-tokens.ts";
import type { ActivityKey, ActivityRow, StoredActivity, Sums } from "./store.ts";

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
  readonly page: MetricsPage<Period>;
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
  readonly page: PageRange;
  readonly isCumulative?: boolean;
  /** Parameters besides those above, to which page tokens belong. */
  readonly parameters?: readonly string[];
  /** A rule that the request violates, in addition to the rules of `page`. */
  readonly violation?: Failure | null;
}

/** The last indexed block, and the start of the last period of the page. */
const FORM: NumberForm = {
  bits: [31, 34],
  numbersOf: ({ head, cursor }) => [BigInt(head), BigInt(cursor)],
  pageOf: ([head, cursor]) => ({ head: String(head), cursor: String(cursor) }),
};

/** Reads a page of periods. Throws `INVALID_PARAMETER` with every violated rule, or `UNAVAILABLE` if the chain is not indexed. */
export async function readPeriods(request: PeriodRequest, context: MetricsContext): Promise<PeriodPage> {
  const { list, chainId, interval, violation, isCumulative = false } = request;
  const from = secondsOf(request.from, 0);
  const to = secondsOf(request.to, LATEST);
  const parameters = [chainId, interval, from, to, ...(request.parameters ?? [])];
  const { size, isBackward, start } = checkedPage(
    { list, parameters, page: request.page, form: FORM, violations: violation ? [violation] : [] },
    context,
  );
  const read: ReadRange = async ({ from, until, size }) =>
    requireIndexed(
      chainId,
      await context.load.activity({ chainId, interval, from, until, size, isCumulative }),
      context,
    );
  const cursor = start === null ? null : Number(start.cursor);
  const range = isBackward
    ? await rangeBackward({ from: cursor === null ? from : Math.max(from, cursor + 1), to, size, interval }, read)
    : { from, until: cursor ?? to, size: size + 1, hasMore: undefined };
  const stored = await read(range);
  if (start) requireHeads([start.head], [stored.head]);
  const periods = periodsOf(stored);
  const page = metricsPageOf(
    isBackward ? periods.reverse() : periods,
    {
      size,
      isBackward,
      isContinued: start !== null,
      ...(range.hasMore === undefined ? {} : { hasMore: range.hasMore }),
      list,
      parameters,
      form: FORM,
      positionOf: ({ periodStart }) => periodStart,
      head: stored.head,
      count: async () => exactly(countPeriods({ ...stored, from, until: to })),
    },
    context,
  );
  return { page, headTimestamp: stored.headTimestamp, sums: stored.sumsBeforeUntil };
}

type ReadRange = (key: Pick<ActivityKey, "from" | "until" | "size">) => Promise<StoredActivity>;

/** The range of a page that is read backward: its periods are the oldest that begin at `from` or later. */
async function rangeBackward(
  { to, ...range }: Pick<ActivityKey, "interval" | "from" | "size"> & { readonly to: number },
  read: ReadRange,
): Promise<Pick<ActivityKey, "from" | "until" | "size"> & { readonly hasMore: boolean }> {
  const { first, last } = await read({ ...range, until: to, size: 0 });
  return { ...range, ...oldestPeriods({ ...range, until: to, first, last }) };
}

/** At most `size` periods, newest first, without gaps. */
function periodsOf({ headTimestamp, rows, ...range }: StoredActivity): Period[] {
  const byStart = new Map(rows.map((row) => [Number(row.periodStart), row]));
  return periodsIn(range).map(({ start, end }) => {
    const isComplete = headTimestamp >= end;
    const seconds = Math.max((isComplete ? end : headTimestamp) - start, 1);
    return { ...(byStart.get(start) ?? emptyRow(start)), start, end, isComplete, seconds };
  });
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
