import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { Redact } from "../../../core/errors/redaction.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { createOutageLog, type OutageLog } from "../../../core/observability/outage-log.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { type Idle, type RepeatOptions, repeatPages, SHORT_PAUSE_MS } from "../../shared/repeat-pages.ts";
import type { Writer } from "../../shared/writer.ts";
import { TracesRefused } from "../fetch/call-traces.ts";
import type { EvmSource } from "../fetch/source.ts";
import { failureOf } from "../fetch/trace-failure.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { addTraceFailures, type FailedTraces, nextTraceRetries } from "./trace-retries.ts";
import { writeTraces } from "./write-traces.ts";

/** Number of blocks that are requested together and written in one transaction. */
const PAGE = 8;
/** Pause if the node answers nothing at all, which is no failure of a block. */
const NODE_DOWN_MS = 5_000;

export interface TraceRetryDeps extends RepeatOptions {
  readonly chainId: string;
  readonly writer: Writer;
  /** Must not delay the reading of blocks: a source with a client of its own. */
  readonly source: Pick<EvmSource, "tracedBlock" | "head">;
  /** Redaction of the nodes' words. */
  readonly redact: Redact;
  readonly logger: Logger;
}

/**
 * Requests the call trees again that the node failed to return, with growing pauses, and writes them and their rows as a backfill does,
 * until `signal` aborts. Runs at the same time as the indexing of blocks. Rejects only if the database fails.
 */
export async function retryTraces(deps: TraceRetryDeps): Promise<void> {
  const { logger, chainId } = deps;
  const outage = createOutageLog({ logger, subject: "reading the call trees of blocks", ids: { chainId } });
  await repeatPages(() => retryPage(deps, outage), deps);
}

/** Returns when the next page is read, as `repeatPages` expects it. */
async function retryPage(deps: TraceRetryDeps, outage: OutageLog): Promise<number | Idle> {
  const { writer, chainId, source } = deps;
  const retries = await writer.transaction((session) => nextTraceRetries(session, chainId, PAGE));
  const due = retries.filter(({ dueInMs }) => dueInMs <= 0);
  if (due.length === 0) return { dueInMs: retries[0]?.dueInMs ?? null };
  const results = await Promise.all(due.map(({ number }) => readAgain(deps, number)));
  const failed = results.filter((result): result is FailedTraces => "failure" in result);
  if (failed.length === due.length && !(await answers(source))) return NODE_DOWN_MS;
  const read = results.filter((result): result is RawBlock => "block" in result);
  const written = await writeTraces(writer, chainId, read);
  failed.push(...read.filter(({ block }) => !written.has(Number(block.number))).map(anotherBlock));
  await writer.transaction((session) => addTraceFailures(session, chainId, failed));
  for (const { number: blockNumber, failure } of failed)
    outage.failed({ blockNumber, ...(failure.detail ? { detail: failure.detail } : {}) }, failure.reason);
  if (failed.length === 0) outage.succeeded();
  return due.length === PAGE && failed.length < PAGE ? 0 : SHORT_PAUSE_MS;
}

/** The block with its call trees, or why they could not be read. */
async function readAgain({ source, redact }: TraceRetryDeps, number: number): Promise<RawBlock | FailedTraces> {
  try {
    return await source.tracedBlock(number);
  } catch (error) {
    if (error instanceof TracesRefused)
      return { number, failure: { reason: error.message, detail: error.detail, isPassing: error.isPassing } };
    if (error instanceof NodeUnavailable || error instanceof BadUpstreamData)
      return { number, failure: failureOf(number, error, redact) };
    throw error;
  }
}

/** The failure for a block that is not the indexed one. */
function anotherBlock({ block }: RawBlock): FailedTraces {
  const number = Number(block.number);
  const reason = `the node returns another block ${number} than the indexed one`;
  return { number, failure: { reason, detail: null, isPassing: true } };
}

/** False if the node does not even return its head. */
async function answers(source: TraceRetryDeps["source"]): Promise<boolean> {
  try {
    await source.head();
    return true;
  } catch (error) {
    if (error instanceof NodeUnavailable || error instanceof BadUpstreamData) return false;
    throw error;
  }
}
