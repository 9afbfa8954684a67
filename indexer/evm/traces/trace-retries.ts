import type { Session } from "../../shared/writer.ts";
import type { TraceFailure } from "../wire/call-trees.ts";

/** Pause after the first failure; it doubles with each further one. */
const FIRST_PAUSE_SECONDS = 1;
const MAX_PAUSE_SECONDS = 3_600;
/** The largest exponent that does not exceed the longest pause. */
const MAX_DOUBLINGS = 12;

/** A block whose call trees could not be read. */
export interface FailedTraces {
  readonly number: number;
  readonly failure: TraceFailure;
}

const NOW = "extract(epoch FROM now())::bigint";
const PAUSE = (attempts: string): string =>
  `least(${MAX_PAUSE_SECONDS}, ${FIRST_PAUSE_SECONDS} * (2 ^ least(${attempts} - 1, ${MAX_DOUBLINGS})))::bigint`;

/**
 * Records that requests for the call trees of blocks failed. A passing failure makes the block due after a pause that grows with its
 * failures.
 */
export async function addTraceFailures(
  session: Session,
  chainId: string,
  failed: readonly FailedTraces[],
): Promise<void> {
  if (failed.length === 0) return;
  await session.query(
    `INSERT INTO trace_retries AS r (chain_id, block_number, reason, attempts, due_at)
     SELECT $1, f.number, f.reason, 1, CASE WHEN f.is_passing THEN ${NOW} + ${PAUSE("1")} END
     FROM unnest($2::int[], $3::text[], $4::bool[]) AS f(number, reason, is_passing)
     ON CONFLICT (chain_id, block_number) DO UPDATE SET reason = excluded.reason, attempts = r.attempts + 1,
       due_at = CASE WHEN excluded.due_at IS NOT NULL THEN ${NOW} + ${PAUSE("(r.attempts + 1)")} END`,
    [
      chainId,
      failed.map(({ number }) => number),
      failed.map(({ failure }) => failure.reason),
      failed.map(({ failure }) => failure.isPassing),
    ],
  );
}

/** A block whose call trees are requested again. */
export interface TraceRetry {
  readonly number: number;
  /** In milliseconds from now; 0 or less if it is due. */
  readonly dueInMs: number;
}

/** Returns the blocks that are requested next. */
export async function nextTraceRetries(session: Session, chainId: string, limit: number): Promise<TraceRetry[]> {
  const rows = await session.query<{ block_number: number; due_in_ms: number }>(
    `SELECT block_number, (1000 * (due_at - extract(epoch FROM now())))::float8 AS due_in_ms FROM trace_retries
     WHERE chain_id = $1 AND due_at IS NOT NULL ORDER BY due_at, block_number LIMIT $2`,
    [chainId, limit],
  );
  return rows.map(({ block_number, due_in_ms }) => ({ number: block_number, dueInMs: due_in_ms }));
}

/** Forgets a block: its call trees are stored. */
export async function dropTraceRetry(session: Session, chainId: string, number: number): Promise<void> {
  await session.query("DELETE FROM trace_retries WHERE chain_id = $1 AND block_number = $2", [chainId, number]);
}

/** Forgets the blocks above `ancestor`. Not for a replay: its rollbacks are older than the failures. */
export async function cutTraceRetries(session: Session, chainId: string, ancestor: number): Promise<void> {
  await session.query("DELETE FROM trace_retries WHERE chain_id = $1 AND block_number > $2", [chainId, ancestor]);
}
