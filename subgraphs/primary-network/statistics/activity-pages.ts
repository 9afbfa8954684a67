import type { Page } from "../../../core/graph/connection-page.ts";
import { type ListRows, type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import { countPeriods, oldestPeriods, type PeriodBounds, periodsIn } from "../../../core/networks/periods.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { LATEST, secondsOf } from "../../shared/schema/times.ts";
import type { RewardOutlook } from "../stakers/reward-estimates.ts";
import type { ActivityKey, FiguresRow, PChainRow, StoredActivity, StoredChain } from "./activity-store.ts";
import { stakingFigures } from "./staking-figures.ts";
import type { PrimaryChainActivity, PrimaryNetworkActivity, PrimaryNetworkActivityArgs } from "./types.ts";

/** Reads a page of periods of a network. Throws `INVALID_PARAMETER` for an invalid cursor or size. */
type ReadActivityPage = (
  networkId: string,
  args: PrimaryNetworkActivityArgs,
  reads: ActivityReads,
) => Promise<Page<PrimaryNetworkActivity>>;

/** Both throw if the figures of the network are not computed. */
interface ActivityReads {
  activity(key: ActivityKey): Promise<StoredActivity>;
  /** The rules for rewards on the primary network. */
  outlook(): Promise<RewardOutlook>;
}

export function createActivityPages(pageTokens: PageTokens): ReadActivityPage {
  return async (networkId, args, { activity, outlook }) => {
    const { interval, filter } = args;
    const from = secondsOf(filter?.fromTime, 0);
    const to = secondsOf(filter?.toTime, LATEST);
    /** One statement; two for a page that is read backward. */
    const storedAt = async ({ position, isBackward, limit }: PageFrom): Promise<StoredActivity> => {
      const beside = Number(position[0]);
      if (!isBackward) return activity({ networkId, interval, from, until: beside, size: limit });
      const list = { networkId, interval, from: beside + 1, until: to };
      const { first, last } = await activity({ ...list, size: 0 });
      const { until } = oldestPeriods({ ...list, first, last, size: limit });
      return activity({ ...list, until, size: limit });
    };
    let stored: StoredActivity | undefined;
    const read = async (place: PageFrom): Promise<ListRows<PrimaryNetworkActivity>> => {
      const [found, rules] = await Promise.all([storedAt(place), outlook()]);
      stored = found;
      const rows = activityOf(periodsIn(found), found, rules);
      return { rows: place.isBackward ? rows.reverse() : rows, heads: () => headsOf(found) };
    };
    return readListPage(pageTokens, {
      list: "primaryNetworkActivity",
      parameters: [networkId, interval, from, to],
      page: args,
      ends: { first: [String(to)], last: [String(from - 1)] },
      read,
      positionOf: ({ periodStart }) => [String(periodStart)],
      count: async () => exactly(countPeriods({ ...(stored as StoredActivity), from, until: to })), // after the page is read
    });
  };
}

const CHAINS: readonly PrimaryChain[] = ["P", "X", "C"];

const headsOf = ({ chains }: StoredActivity): string[] => CHAINS.map((chain) => chains.get(chain)?.head ?? "-1");

/** The figures of periods, which are newest first as the rows are. */
function activityOf(
  periods: readonly PeriodBounds[],
  { chains }: StoredActivity,
  outlook: RewardOutlook,
): PrimaryNetworkActivity[] {
  const rows = (chains.get("P")?.rows ?? []) as readonly PChainRow[]; // the statement reads the state of this chain
  const [ofP, ofX, ofC] = CHAINS.map((chain) => chainActivity(chain, chains.get(chain)));
  let at = 0;
  return periods.map((period) => {
    while (Number(rows[at]?.periodStart) > period.start) at++;
    const state = rows[at] as PChainRow; // the genesis block is in the first period
    const isOfPeriod = Number(state.periodStart) === period.start;
    const chainsOfPeriod = {
      pChain: ofP?.(period) as PrimaryChainActivity, // it is indexed, because it has rows
      xChain: ofX?.(period) ?? null,
      cChain: ofC?.(period) ?? null,
    };
    return {
      periodStart: period.start,
      periodEnd: period.end,
      isComplete: Object.values(chainsOfPeriod).every((chain) => chain?.isComplete ?? true),
      ...stakingFigures(state, outlook),
      rewardsPaid: isOfPeriod ? state.rewardsPaid : "0",
      l1ValidatorFees: isOfPeriod ? state.l1ValidatorFees : "0",
      ...newIn(state, isOfPeriod ? rows[at + 1] : state),
      ...chainsOfPeriod,
    };
  });
}

/** What was created between two states. Without an earlier state, all of it. */
function newIn(state: PChainRow, before: PChainRow | undefined) {
  const added = (name: "subnets" | "blockchains" | "l1s"): number => Number(state[name]) - Number(before?.[name] ?? 0);
  return { newSubnets: added("subnets"), newBlockchains: added("blockchains"), newL1s: added("l1s") };
}

type ActivityIn = (period: PeriodBounds) => PrimaryChainActivity;

/** The activity of a chain by period; null if the chain is not indexed. */
function chainActivity(chain: PrimaryChain, stored: StoredChain | undefined): ActivityIn | null {
  if (!stored) return null;
  const byStart = new Map<number, FiguresRow>(stored.rows.map((row) => [Number(row.periodStart), row]));
  return ({ start, end }) => {
    const row = byStart.get(start);
    return {
      blocks: chain === "C" ? null : (row?.blocks ?? "0"),
      transactions: row?.transactions ?? "0",
      feesBurned: row?.feesBurned ?? "0",
      isComplete: stored.headTimestamp >= end,
      isEstimated: start <= stored.estimatedUntil,
    };
  };
}
