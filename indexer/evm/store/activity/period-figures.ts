import { INTERVALS, periodStart } from "../../../../core/networks/periods.ts";
import type { Session } from "../../../shared/writer.ts";

/** Columns of `evm_activity` that are sums over the blocks of a period. */
const FIGURES = [
  "blocks",
  "transactions",
  "gas_used",
  "fees_spent",
  "active_addresses",
  "new_addresses",
  "new_contracts",
  "erc20_transfers",
] as const;

/** What a block adds to the figures of its periods. Figures that are absent are 0. */
export interface BlockFigures extends Partial<Readonly<Record<(typeof FIGURES)[number], number | bigint>>> {
  /** Time of the block in seconds. */
  readonly timestamp: number;
  /** `active_addresses` for each interval, in the order of `INTERVALS`; absent ones are 0. */
  readonly active: readonly number[];
}

const UPSERT = `INSERT INTO evm_activity (chain_id, interval, period_start, ${FIGURES.join(", ")})
  SELECT $1, * FROM unnest($2::text[], $3::bigint[], ${FIGURES.map((_, i) => `$${i + 4}::numeric[]`).join(", ")})
  ON CONFLICT (chain_id, interval, period_start) DO UPDATE
  SET ${FIGURES.map((figure) => `${figure} = evm_activity.${figure} + excluded.${figure}`).join(", ")}`;

/**
 * Adds the figures of blocks to their periods; a `sign` of -1n subtracts them. One statement. The caller's
 * transaction must have locked the chain's row in `chain_heads`: the indexer and a backfill of traces both change these rows.
 */
export async function addToPeriods(
  session: Session,
  chainId: string,
  blocks: readonly BlockFigures[],
  sign: 1n | -1n = 1n,
): Promise<void> {
  const periods = sumsByPeriod(blocks);
  if (periods.length === 0) return;
  await session.query(UPSERT, [
    chainId,
    periods.map(({ interval }) => interval),
    periods.map(({ start }) => start),
    ...FIGURES.map((_, i) => periods.map(({ sums }) => String(sign * (sums[i] ?? 0n)))),
  ]);
}

interface Period {
  readonly interval: string;
  readonly start: number;
  /** In the order of `FIGURES`. */
  readonly sums: bigint[];
}

function sumsByPeriod(blocks: readonly BlockFigures[]): Period[] {
  const periods = new Map<string, Period>();
  for (const block of blocks)
    for (const [i, interval] of INTERVALS.entries()) {
      const start = periodStart(interval, block.timestamp);
      const key = `${interval} ${start}`;
      const period = periods.get(key) ?? { interval, start, sums: FIGURES.map(() => 0n) };
      periods.set(key, period);
      const figures = { ...block, active_addresses: block.active[i] };
      for (const [at, figure] of FIGURES.entries())
        period.sums[at] = (period.sums[at] ?? 0n) + BigInt(figures[figure] ?? 0);
    }
  return [...periods.values()];
}
