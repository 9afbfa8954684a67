import type { ClientBase } from "pg";
import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { requireTraces, type TraceCoverage, traceCoverage } from "../../../core/networks/trace-coverage.ts";
import type { LastBlock } from "../../export-source.ts";
import { hexText } from "../shared/cells.ts";
import { readAll } from "../shared/cursor.ts";
import type { TimeRange } from "../shared/days.ts";

/** A range of blocks, both inclusive. `to` below `from`: no block. */
export interface BlockRange {
  readonly from: string;
  readonly to: string;
}

const HEAD = `SELECT h.block_number AS "blockNumber", h.block_hash AS "blockHash", p.reason
  FROM (SELECT $1::bigint AS chain_id) c LEFT JOIN chain_heads h USING (chain_id) LEFT JOIN chain_progress p USING (chain_id)`;

/** Returns the last indexed block of a chain. Throws `UNAVAILABLE` if none is indexed. */
export async function readBound(client: ClientBase, { chainId }: EvmChainConfig): Promise<LastBlock> {
  const [head] = await readAll<Record<"blockNumber" | "blockHash" | "reason", string | null>>(client, HEAD, [chainId]);
  if (!head?.blockNumber || !head.blockHash || head.blockNumber === "-1")
    throw new Failure(
      "UNAVAILABLE",
      `chain ${chainId} has no indexed block yet${head?.reason ? `: ${head.reason}` : ""}`,
    );
  return { chain: String(chainId), blockNumber: head.blockNumber, blockHash: hexText(head.blockHash) };
}

const HOLDS = `SELECT FROM evm_blocks WHERE chain_id = $1 AND block_number = $2 AND block_hash = $3`;

/** True if the block of the bound is still indexed. */
export async function isStillIndexed(
  client: ClientBase,
  { chain, blockNumber, blockHash }: LastBlock,
): Promise<boolean> {
  return (await readAll(client, HOLDS, [chain, blockNumber, Buffer.from(blockHash.slice(2), "hex")])).length > 0;
}

/** Number of the first block from a time on; null if there is none. Times never decrease along a chain. */
const FIRST_FROM = `SELECT min(block_number) AS "blockNumber" FROM evm_blocks WHERE chain_id = $1 AND block_timestamp = (
    SELECT min(block_timestamp) FROM evm_blocks WHERE chain_id = $1 AND block_timestamp >= $2)`;

/** Returns the blocks of a time range up to the bound. */
export async function readBlockRange(
  client: ClientBase,
  { chain, blockNumber }: LastBlock,
  { start, end }: TimeRange,
): Promise<BlockRange> {
  const firstFrom = async (time: number): Promise<bigint> => {
    const [row] = await readAll<{ blockNumber: string | null }>(client, FIRST_FROM, [chain, time]);
    return row?.blockNumber == null ? BigInt(blockNumber) + 1n : BigInt(row.blockNumber);
  };
  const from = start === null ? 0n : await firstFrom(start);
  const afterLast = end === null ? BigInt(blockNumber) + 1n : await firstFrom(end);
  const to = afterLast > BigInt(blockNumber) ? BigInt(blockNumber) : afterLast - 1n;
  return { from: String(from), to: String(to) };
}

const COVERAGE = traceCoverage("$2::bigint", "$3::bigint");

/**
 * Returns why tracing is off for the chain, so that its export has no internal transactions; null if it is on. Throws
 * `UNAVAILABLE` if it is on and blocks of the range are not traced.
 */
export async function readTracingOff(
  client: ClientBase,
  { chainId }: EvmChainConfig,
  { from, to }: BlockRange,
): Promise<string | null> {
  const [coverage] = await readAll<TraceCoverage & Record<string, string>>(client, COVERAGE, [
    chainId,
    from,
    String(BigInt(to) + 1n),
  ]);
  if (!coverage) throw new Error("the trace coverage query returned no row");
  if (coverage.offReason === null) requireTraces(String(chainId), coverage);
  return coverage.offReason;
}
