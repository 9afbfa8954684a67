import { type Numbered, type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { createDataLoader } from "../../../core/database/data-loader.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type TraceCoverage, traceCoverage } from "../../../core/networks/trace-coverage.ts";
import type { Work } from "../../../core/work/work.ts";
import { BLOCKS } from "../ranged-lists/ranged-select.ts";
import type { EvmInternalTransaction } from "./types.ts";

/** A range of blocks and times of a chain (start inclusive, end exclusive). */
interface CoveredRange {
  readonly chainId: string;
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly fromTime: string;
  readonly toTime: string;
}

type CoverageRow = TraceCoverage & Numbered & Record<string, unknown>;

/** Blocks above the head are not indexed, so they are not missing. */
const COVERAGE = `SELECT k.request, coverage.*
  FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) WITH ORDINALITY
    AS k(from_block, to_block, from_time, to_time, request),
    LATERAL (${BLOCKS}) r, LATERAL (${traceCoverage("r.start", 'r."end"')}) coverage`;

const PARAMETERS: PartitionParameters<CoveredRange> = {
  partitionOf: ({ chainId }) => chainId,
  valuesOf: (ranges) => [
    ranges.map(({ fromBlock }) => fromBlock),
    ranges.map(({ toBlock }) => toBlock),
    ranges.map(({ fromTime }) => fromTime),
    ranges.map(({ toTime }) => toTime),
  ],
};

/** Reads the coverage of ranges for one request, in one statement for each chain and tick. */
export type LoadTraceCoverage = (range: CoveredRange) => Promise<TraceCoverage>;

export function createTraceCoverage({ pool }: Pick<Database, "pool">): (work: Work) => LoadTraceCoverage {
  const read = readRowsOfKeys(prepared<CoverageRow>(pool, "trace-coverage-of-lists", COVERAGE), PARAMETERS);
  return (work) => {
    const loader = createDataLoader("traceCoverage", async (ranges: readonly CoveredRange[]) =>
      (await read(ranges, work)).map(([row]) => row as CoverageRow),
    );
    return (range) => loader.load(range);
  };
}

/**
 * The times that a page covers: from the beginning of its list, in the direction of the page, to its last item; on the last page to the end
 * of the list.
 */
export function coveredTimes(
  { nodes, pageInfo }: Page<EvmInternalTransaction>,
  { isBackward }: PageRange,
  [fromTime, toTime]: readonly [from: string, to: string],
): readonly [from: string, to: string] {
  const { hasNextPage, hasPreviousPage } = pageInfo;
  const [first] = nodes;
  const last = nodes.at(-1);
  if (isBackward) return [fromTime, hasPreviousPage && first ? String(BigInt(first.blockTimestamp) + 1n) : toTime];
  return [hasNextPage && last ? last.blockTimestamp : fromTime, toTime];
}
