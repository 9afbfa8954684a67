import type { ClientBase } from "pg";
import { Failure } from "../../../core/errors.ts";
import type { Bound } from "../../export-source.ts";
import { hexText } from "../shared/cells.ts";
import { readAll } from "../shared/cursor.ts";
import type { TimeRange } from "../shared/days.ts";
import { CHAIN_NAMES, type PrimaryChain } from "./network.ts";

const HEAD = `SELECT h.block_number AS "blockNumber", h.block_hash AS "blockHash", h.journal_seq AS "journalSeq", p.reason
  FROM (SELECT $1::bigint AS network_id, $2::text AS chain) c
    LEFT JOIN primary_heads h USING (network_id, chain) LEFT JOIN primary_progress p USING (network_id, chain)`;

type Head = Readonly<Record<"blockNumber" | "blockHash" | "journalSeq" | "reason", string | null>>;

/**
 * Returns the last indexed block of a chain; block -1 while the X-Chain has vertices only. Throws `UNAVAILABLE` if nothing
 * of the chain is indexed.
 */
export async function readBound(client: ClientBase, networkId: number, chain: PrimaryChain): Promise<Bound> {
  const [head] = await readAll<Head & Record<string, string | null>>(client, HEAD, [networkId, chain]);
  if (!head?.blockNumber || head.blockHash === null || Number(head.journalSeq) < 0)
    throw new Failure(
      "UNAVAILABLE",
      `${CHAIN_NAMES[chain]} of network ${networkId} is not indexed yet${head?.reason ? `: ${head.reason}` : ""}`,
    );
  return { chain, blockNumber: head.blockNumber, blockHash: hexText(head.blockHash) };
}

/** Blocks of the C-Chain are in `evm_blocks`, those of the other chains in `primary_blocks`. */
const HOLDS = `SELECT FROM primary_heads h WHERE network_id = $1 AND chain = $2 AND block_number >= $3
  AND (block_number > $3 OR block_hash = $4)
  AND (block_number = $3 OR $3 = -1 OR CASE chain
    WHEN 'C' THEN EXISTS (SELECT FROM evm_blocks b WHERE b.chain_id = $5 AND b.block_number = $3 AND b.block_hash = $4)
    ELSE EXISTS (SELECT FROM primary_blocks b WHERE b.network_id = $1 AND b.chain = $2 AND b.block_number = $3
      AND b.block_hash = $4) END)`;

/** True if the block of the bound is still indexed. `evmChainId` is that of the network's C-Chain; null if unknown. */
export async function holdsBound(
  client: ClientBase,
  networkId: number,
  bound: Bound,
  evmChainId: number | null,
): Promise<boolean> {
  const { chain, blockNumber, blockHash } = bound;
  const values = [networkId, chain, blockNumber, Buffer.from(blockHash.slice(2), "hex"), evmChainId];
  return (await readAll(client, HOLDS, values)).length > 0;
}

/** Positions of transactions, both inclusive. */
export interface SeqRange {
  readonly from: string;
  readonly to: string;
}

/** The bound is close to the chain's end, so that the last transactions are read until one is not above it. */
const LAST = `SELECT tx_seq AS seq FROM primary_transactions WHERE network_id = $1 AND chain = $2
  AND (block_number IS NULL OR block_number <= $3) ORDER BY tx_seq DESC LIMIT 1`;
const FIRST_FROM = `SELECT tx_seq AS seq FROM primary_transactions WHERE network_id = $1 AND chain = $2
  AND block_timestamp >= $3 ORDER BY block_timestamp, tx_seq LIMIT 1`;

/**
 * Returns the transactions up to the bound that may have movements in a time range. Times never decrease along the P- and
 * the C-Chain. On the X-Chain the times of vertices are those of the indexed node, so that all transactions may.
 */
export async function readSeqRange(
  client: ClientBase,
  networkId: number,
  { chain, blockNumber }: Bound,
  { start, end }: TimeRange,
): Promise<SeqRange> {
  const seq = async (statement: string, value: string | number): Promise<bigint | null> => {
    const [row] = await readAll<{ seq: string }>(client, statement, [networkId, chain, value]);
    return row ? BigInt(row.seq) : null;
  };
  const last = (await seq(LAST, blockNumber)) ?? -1n;
  if (chain === "X") return { from: "0", to: String(last) };
  const first = start === null ? 0n : await seq(FIRST_FROM, start);
  const afterEnd = end === null ? null : await seq(FIRST_FROM, end);
  return {
    // The next block decides on a proposal, so that the last transaction before the range may pay within it.
    from: String((first ?? last + 1n) - 1n),
    to: String(afterEnd === null || afterEnd > last ? last : afterEnd - 1n),
  };
}
