import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { BadUpstreamData } from "../../../core/errors.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { ChainState } from "../../shared/progress.ts";

/** Or the pause between two looks at the head, where that is shorter. */
const FIRST_BACKOFF_MS = 250;
const LAST_BACKOFF_MS = 10_000;

/** A file of the settings cannot be used. Why, and which one, is not for callers of the API. */
export class UnusableFile extends BadUpstreamData {
  constructor(
    message: string,
    readonly detail: string,
  ) {
    super(message);
  }
}

/** Something that is kept up with, such as a chain of a node. */
export interface Followed {
  /** How far it is; anything that is another when there was progress. */
  position(): unknown;
  /** Asked before the first step and after every failure: whether this is what is meant. Throws as a step does. */
  identify(): Promise<void>;
  /** Goes on as far as there is something. Throws `NodeUnavailable` to wait and `BadUpstreamData` to stop, until it is well again. */
  step(): Promise<void>;
  /** Why it waits or stopped, and what only the log is to say of it. */
  report(state: ChainState, reason: string, detail: string | null): void;
}

/** Steps until `signal`, pausing between steps and ever longer after failures. Rejects only with what no node is to blame for. */
export async function keepFollowing(followed: Followed, pauseMs: number, signal: AbortSignal): Promise<void> {
  let isIdentified = false;
  let failures = 0;
  let failedAt = followed.position();
  while (!signal.aborted) {
    try {
      if (!isIdentified) await followed.identify();
      isIdentified = true;
      await followed.step();
      failures = 0;
      await sleep(pauseMs, undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NodeUnavailable || error instanceof BadUpstreamData)) throw error;
      isIdentified = false;
      failures = followed.position() === failedAt ? failures + 1 : 1;
      failedAt = followed.position();
      await rest(followed, error, { failures, pauseMs, signal }).catch(() => {});
    }
  }
}

async function rest(
  followed: Followed,
  error: NodeUnavailable | BadUpstreamData,
  { failures, pauseMs, signal }: { readonly failures: number; readonly pauseMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const isBad = error instanceof BadUpstreamData;
  // Several nodes behind one address may differ for a moment: only what is told twice is a lie.
  if (isBad && failures === 1) return;
  const detail = error instanceof NodeUnavailable || error instanceof UnusableFile ? error.detail : null;
  followed.report(isBad ? "STOPPED" : "WAITING", error.message, detail);
  const backoffMs =
    Math.min(LAST_BACKOFF_MS, Math.min(FIRST_BACKOFF_MS, pauseMs) * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
  await sleep(isBad ? backoffMs : Math.max(backoffMs, error.retryAfterMs), undefined, { signal });
}

/** Writes what a node gave. A value that the tables cannot hold, or have already, is the node's doing: `BadUpstreamData`. */
export async function storing(what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    throw new BadUpstreamData(`${what} cannot be stored: ${error.message}`);
  }
}

/** Classes 22 and 23; but a place of the journal that is taken is our own. */
function isRefusedValue(error: unknown): error is pg.DatabaseError {
  const isOfValues = error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? "");
  return isOfValues && !error.table?.startsWith("primary_journal");
}

/** A batch is meant to take about this long to write. */
const BATCH_TARGET_MS = 500;

/** Size of the next batch, after one of `size` took so long. */
export function nextSize(size: number, tookMs: number, max: number): number {
  const factor = Math.min(2, Math.max(0.5, BATCH_TARGET_MS / Math.max(1, tookMs)));
  return Math.min(max, Math.max(1, Math.round(size * factor)));
}
