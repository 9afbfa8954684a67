import { INTERVALS, type Interval, periodStart } from "../../../../../core/networks/periods.ts";
import type { Session } from "../../../../shared/writer.ts";
import { type HourFigures, noSums, SUMS } from "./hours.ts";
import { STATE_COLUMNS } from "./p-chain-hours.ts";

/** A period without blocks of the P-Chain in the batch keeps its state: only a transaction in it was moved. */
const UPSERT = `INSERT INTO primary_activity (network_id, chain, interval, period_start, ${[...SUMS, ...STATE_COLUMNS].join(", ")})
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], ${SUMS.map((_, i) => `$${i + 5}::numeric[]`).join(", ")},
    ${STATE_COLUMNS.map((_, i) => `$${i + 5 + SUMS.length}::numeric[]`).join(", ")})
  ON CONFLICT (network_id, chain, interval, period_start) DO UPDATE SET
    ${SUMS.map((name) => `${name} = primary_activity.${name} + excluded.${name}`).join(", ")},
    ${STATE_COLUMNS.map((name) => `${name} = coalesce(excluded.${name}, primary_activity.${name})`).join(", ")}`;

/** Adds the figures of hours to all their periods. One statement. */
export async function addToActivity(session: Session, networkId: number, hours: readonly HourFigures[]): Promise<void> {
  if (hours.length === 0) return;
  const periods = periodsOf(hours);
  await session.query(UPSERT, [
    networkId,
    periods.map(({ chain }) => chain),
    periods.map(({ interval }) => interval),
    periods.map(({ start }) => start),
    ...SUMS.map((name) => periods.map(({ sums }) => String(sums[name]))),
    ...STATE_COLUMNS.map((name) => periods.map(({ state }) => (state === null ? null : String(state[name])))),
  ]);
}

interface PeriodFigures extends HourFigures {
  readonly interval: Interval;
}

function periodsOf(hours: readonly HourFigures[]): PeriodFigures[] {
  const periods = new Map<string, PeriodFigures>();
  const inOrder = [...hours].sort((one, other) => one.start - other.start);
  for (const { chain, start: hour, sums, state } of inOrder)
    for (const interval of INTERVALS) {
      const start = periodStart(interval, hour);
      const key = `${chain} ${interval} ${start}`;
      const earlier = periods.get(key);
      const period = {
        chain,
        interval,
        start,
        sums: earlier?.sums ?? noSums(),
        state: state ?? earlier?.state ?? null,
      };
      periods.set(key, period);
      for (const name of SUMS) period.sums[name] += sums[name];
    }
  return [...periods.values()];
}
