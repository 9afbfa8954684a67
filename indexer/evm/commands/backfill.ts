import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import { type Session, tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { callRows, placeOf } from "../decode/block.ts";
import { type Requeued, requeueNftMetadata } from "../nft/store.ts";
import { appendTraces, traceEntryOf } from "../raw-store/raw-traces.ts";
import { copyRows } from "../store/tables.ts";
import { type BlockRange, removeUntraced, untracedRanges } from "../store/untraced-ranges.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { type CommandDeps, CommandRefused } from "./command.ts";

/** Blocks that are asked for and written in one go. */
const PAGE = 50;
const REPORT_INTERVAL_MS = 5_000;

export interface Backfilled {
  readonly traced: number;
  /** Blocks that the node has otherwise than the index: a reorganisation went on meanwhile. */
  readonly skipped: number;
}

/**
 * Brings the call trees of blocks that were indexed without, within the range, beside a running indexer. Safe to break off
 * and to run again. Rejects with `NodeUnavailable` when the node does not give one, `CommandRefused` when another backfill
 * of the chain is under way.
 */
export async function backfillTraces(deps: CommandDeps, within: BlockRange): Promise<Backfilled> {
  const { url, rules, source, signal, report } = deps;
  const { chainId } = rules;
  await using session = await tryBecomeWriter(url, `${chainId} backfill`);
  if (!session) throw new CommandRefused(`chain ${chainId} is being backfilled by another process`);
  const ranges = cut(await session.transaction((one) => untracedRanges(one, chainId)), within);
  const total = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const done = { traced: 0, skipped: 0 };
  let reportedAt = performance.now();
  for (const numbers of pages(ranges)) {
    signal.throwIfAborted();
    const raws = await Promise.all(numbers.map((number) => source.tracedBlock(number)));
    const written = await writeTraces(session, chainId, raws);
    done.traced += written;
    done.skipped += raws.length - written;
    if (performance.now() - reportedAt < REPORT_INTERVAL_MS) continue;
    reportedAt = performance.now();
    report(`chain ${chainId}: ${done.traced + done.skipped} of ${total} blocks, at block ${numbers.at(-1)}`);
  }
  return done;
}

/**
 * Has the running indexer look at the metadata of tokens anew, and returns at how many. Rejects with `CommandRefused` for a
 * chain whose metadata nobody looks at: without the feature `nftIndexing`.
 */
export async function backfillMetadata(
  { url, rules }: Pick<CommandDeps, "url" | "rules">,
  which: Requeued,
  { enabledFeatures }: Pick<EvmChainConfig, "enabledFeatures">,
): Promise<number> {
  if (!enabledFeatures.includes("nftIndexing"))
    throw new CommandRefused(
      `nftIndexing is not among the enabledFeatures of chain ${rules.chainId}: nobody looks at metadata of its tokens`,
    );
  await using session = await tryBecomeWriter(url, `${rules.chainId} metadata`);
  if (!session) throw new CommandRefused(`metadata of chain ${rules.chainId} is being queued by another process`);
  return await session.transaction((one) => requeueNftMetadata(one, rules.chainId, which));
}

/** Puts in the call trees of blocks that are indexed under the same hash; returns how many those are. */
async function writeTraces(writer: Writer, chainId: string, raws: readonly RawBlock[]): Promise<number> {
  const hashOf = ({ block }: RawBlock) => block.hash.slice(2);
  const numberOf = ({ block }: RawBlock) => Number(block.number);
  const entries = await Promise.all(
    raws.map((raw) => traceEntryOf({ number: numberOf(raw), hash: hashOf(raw) }, raw.traces)),
  );
  return writer.transaction(async (session) => {
    const indexed = await lockedHashes(session, chainId, raws.map(hashOf));
    const same = raws.filter((raw) => indexed.has(hashOf(raw)));
    await appendTraces(
      session,
      chainId,
      entries.filter((entry) => entry && indexed.has(entry.blockHash)),
    );
    const rows = same.map((raw) => callRows(placeOf(chainId, raw), raw));
    for (const table of ["evm_internal_transactions", "evm_deployments"] as const) {
      await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number = ANY ($2::bigint[])`, [
        chainId,
        same.map(numberOf),
      ]);
      await copyRows(
        session,
        table,
        rows.flatMap((one) => one[table]),
      );
    }
    for (const raw of same) await removeUntraced(session, chainId, numberOf(raw));
    return same.length;
  });
}

/** Those of the hashes that are indexed; until the transaction ends no reorganisation can take them back. */
async function lockedHashes(session: Session, chainId: string, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await session.query<{ hash: string }>(
    `SELECT encode(block_hash, 'hex') AS hash FROM evm_blocks
     WHERE chain_id = $1 AND block_hash = ANY ($2::bytea[]) FOR SHARE`,
    [chainId, hashes.map(pgBytes)],
  );
  return new Set(rows.map(({ hash }) => hash));
}

function cut(ranges: readonly BlockRange[], within: BlockRange): BlockRange[] {
  return ranges
    .map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) }))
    .filter(({ from, to }) => from <= to);
}

/** Numbers of blocks in the ranges, so many at a time. */
function* pages(ranges: readonly BlockRange[]): Generator<number[]> {
  let page: number[] = [];
  for (const { from, to } of ranges) {
    for (let number = from; number <= to; number++) {
      page.push(number);
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}
