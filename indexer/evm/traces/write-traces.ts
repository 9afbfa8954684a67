import { pgBytes } from "../../shared/pg-bytes.ts";
import { type CopiedRow, copiesOf } from "../../shared/table-rows.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { isInRanges } from "../block-range.ts";
import { CALL_TABLES, callRows } from "../decode/call-rows.ts";
import { blockColumns } from "../decode/shared-columns.ts";
import { appendTraces, traceEntry } from "../raw-blocks/raw-traces.ts";
import { recountContracts } from "../store/activity/recount-contracts.ts";
import { lockRanges, removeUntraced, untracedRanges } from "../store/untraced-ranges.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { dropTraceRetry } from "./trace-retries.ts";

/**
 * Stores the call trees of blocks whose hash is indexed, and the rows that are computed from them. Does nothing for blocks that another
 * process has traced meanwhile. Returns the numbers of the blocks whose hash is indexed.
 */
export async function writeTraces(
  writer: Pick<Writer, "transaction">,
  chainId: string,
  raws: readonly RawBlock[],
): Promise<Set<number>> {
  if (raws.length === 0) return new Set();
  const hashOf = ({ block }: RawBlock) => block.hash.slice(2);
  const numberOf = ({ block }: RawBlock) => Number(block.number);
  const entries = await Promise.all(
    raws.map((raw) => traceEntry({ number: numberOf(raw), hash: hashOf(raw) }, raw.traces)),
  );
  return writer.transaction(async (session) => {
    const indexed = await lockedHashes(session, chainId, raws.map(hashOf));
    await lockRanges(session, chainId);
    const untraced = await untracedAmong(session, chainId, raws.map(numberOf));
    const current = raws.filter((raw) => indexed.has(hashOf(raw)) && untraced.has(numberOf(raw)));
    const hashes = new Set(current.map(hashOf));
    await appendTraces(
      session,
      chainId,
      entries.filter((entry) => entry && hashes.has(entry.blockHash)),
    );
    await replaceCallRows(session, chainId, current, current.map(numberOf));
    for (const raw of current) await removeUntraced(session, chainId, numberOf(raw));
    const numbers = raws.filter((raw) => indexed.has(hashOf(raw))).map(numberOf);
    for (const number of numbers) await dropTraceRetry(session, chainId, number);
    // After `lockRanges`, which locks the head.
    await recountContracts(session, chainId, current.map(numberOf));
    return new Set(numbers);
  });
}

async function untracedAmong(session: Session, chainId: string, numbers: readonly number[]): Promise<Set<number>> {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [from = 0, to = -1] = [sorted[0], sorted.at(-1)];
  const ranges = await untracedRanges(session, chainId, { from, to });
  return new Set(sorted.filter((number) => isInRanges(ranges, number)));
}

async function replaceCallRows(
  session: Session,
  chainId: string,
  raws: readonly RawBlock[],
  numbers: readonly number[],
): Promise<void> {
  const rows = raws.map((raw) => callRows(blockColumns(raw), raw));
  for (const table of CALL_TABLES) {
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number = ANY ($2::bigint[])`, [
      chainId,
      numbers,
    ]);
    await session.copy(
      copiesOf(
        table,
        chainId,
        rows.flatMap((one) => one[table] as readonly CopiedRow<typeof table>[]),
      ),
    );
  }
}

/** Returns those of the hashes that are indexed. Locks the blocks, so that no reorganisation removes them before the commit. */
async function lockedHashes(session: Session, chainId: string, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await session.query<{ hash: string }>(
    `SELECT encode(block_hash, 'hex') AS hash FROM evm_blocks
     WHERE chain_id = $1 AND block_hash = ANY ($2::bytea[]) FOR SHARE`,
    [chainId, hashes.map(pgBytes)],
  );
  return new Set(rows.map(({ hash }) => hash));
}
