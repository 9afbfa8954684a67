import type { ClientBase } from "pg";
import { Failure } from "../../../core/errors/errors.ts";
import { PRIMARY_CHAIN_ALIASES, PRIMARY_CHAINS, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { INEXACT_VERTICES, type InexactVertices, inexactTime } from "../../../core/networks/vertex-times.ts";
import type { LastBlock } from "../../export-source.ts";
import { hexText } from "../shared/cells.ts";
import { readAll } from "../shared/cursor.ts";
import type { TimeRange } from "../shared/days.ts";

const HEAD = `SELECT h.block_number AS "blockNumber", h.block_hash AS "blockHash", h.raw_seq AS "rawSeq", h.tx_count AS "txCount", p.reason
  FROM (SELECT $1::bigint AS network_id, $2::text AS chain) c
    LEFT JOIN primary_heads h USING (network_id, chain) LEFT JOIN primary_progress p USING (network_id, chain)`;

type Head = Readonly<Record<"blockNumber" | "blockHash" | "rawSeq" | "txCount" | "reason", string | null>>;

/**
 * Returns the last indexed block of each chain of a network; block -1 while the X-Chain has vertices only. Chains that are
 * not exported have bounds too, because their blocks create and spend outputs of the others; such a chain without indexed
 * blocks is left out. Throws `UNAVAILABLE` if nothing of an exported chain is indexed.
 */
export async function readNetworkBounds(
  client: ClientBase,
  networkId: number,
  exported: readonly PrimaryChain[],
): Promise<LastBlock[]> {
  const bounds: LastBlock[] = [];
  for (const chain of PRIMARY_CHAINS) {
    const [head] = await readAll<Head & Record<string, string | null>>(client, HEAD, [networkId, chain]);
    const bound = head ? boundOfHead(chain, head) : null;
    if (bound) bounds.push(bound);
    else if (exported.includes(chain))
      throw new Failure(
        "UNAVAILABLE",
        `${PRIMARY_CHAIN_ALIASES[chain]} of network ${networkId} is not indexed yet${head?.reason ? `: ${head.reason}` : ""}`,
      );
  }
  return bounds;
}

function boundOfHead(chain: PrimaryChain, { blockNumber, blockHash, rawSeq, txCount }: Head): LastBlock | null {
  if (blockNumber === null || blockHash === null || txCount === null || Number(rawSeq) < 0) return null;
  return { chain, blockNumber, blockHash: hexText(blockHash), transactionCount: txCount };
}

/** Values for `boundsSql`: the blocks of P, X and C, and the number of transactions of X. Null: nothing is indexed. */
export function boundValues(bounds: readonly LastBlock[]): (string | null)[] {
  const find = (chain: PrimaryChain) => bounds.find((bound) => bound.chain === chain);
  return [...PRIMARY_CHAINS.map((chain) => find(chain)?.blockNumber ?? null), transactionsOf(find("X"))];
}

const transactionsOf = (bound: LastBlock | undefined): string | null => bound?.transactionCount ?? null;

/** SQL expressions with `boundValues` as a parameter. */
export function boundsSql(parameter: string) {
  const value = (index: number) => `(${parameter}::bigint[])[${index}]`;
  const of = (chain: string) =>
    `CASE ${chain} WHEN 'P' THEN ${value(1)} WHEN 'X' THEN ${value(2)} ELSE ${value(3)} END`;
  return {
    /** Number of the bound's block of a chain. */
    of,
    /**
     * True if the creation or the consumption of an output `u` is indexed and not above the bound of its chain. Transactions
     * in vertices have no block. A bound that is a block of the X-Chain covers them all; otherwise their positions are compared.
     */
    covers(side: "created" | "consumed"): string {
      const block = `u.${side}_block_number`;
      const chain = side === "created" ? "u.created_on_chain" : "u.chain";
      const txHash = side === "created" ? "u.tx_hash" : "u.consumed_tx_hash";
      return `(u.${side}_timestamp IS NOT NULL AND coalesce(CASE WHEN ${block} IS NOT NULL THEN ${block} <= ${of(chain)}
        WHEN ${value(2)} >= 0 THEN true ELSE (SELECT v.tx_seq FROM primary_transactions v WHERE v.network_id = $1
          AND v.tx_hash = ${txHash} LIMIT 1) < ${value(4)} END, false))`;
    },
  };
}

/** Blocks of the C-Chain are in `evm_blocks`, those of the other chains in `primary_blocks`. */
const HOLDS = `SELECT FROM primary_heads h WHERE network_id = $1 AND chain = $2 AND block_number >= $3
  AND (block_number > $3 OR block_hash = $4)
  AND (block_number = $3 OR $3 = -1 OR CASE chain
    WHEN 'C' THEN EXISTS (SELECT FROM evm_blocks b WHERE b.chain_id = $5 AND b.block_number = $3 AND b.block_hash = $4)
    ELSE EXISTS (SELECT FROM primary_blocks b WHERE b.network_id = $1 AND b.chain = $2 AND b.block_number = $3
      AND b.block_hash = $4) END)`;

/** True if the blocks of the bounds are still indexed. `evmChainId` is that of the network's C-Chain; null if unknown. */
export async function areStillIndexed(
  client: ClientBase,
  networkId: number,
  bounds: readonly LastBlock[],
  evmChainId: number | null,
): Promise<boolean> {
  for (const { chain, blockNumber, blockHash } of bounds) {
    const values = [networkId, chain, blockNumber, Buffer.from(blockHash.slice(2), "hex"), evmChainId];
    if ((await readAll(client, HOLDS, values)).length === 0) return false;
  }
  return true;
}

const IS_HEAD = `SELECT FROM primary_heads WHERE network_id = $1 AND chain = $2 AND block_number = $3 AND block_hash = $4
  AND tx_count = $5`;

/** True if the block of the bound is still the last indexed one. */
export async function isHead(client: ClientBase, networkId: number, bound: LastBlock): Promise<boolean> {
  const { chain, blockNumber, blockHash, transactionCount } = bound;
  const values = [networkId, chain, blockNumber, Buffer.from(blockHash.slice(2), "hex"), transactionCount];
  return (await readAll(client, IS_HEAD, values)).length > 0;
}

/** Positions of transactions, both inclusive. */
export interface SeqRange {
  readonly from: string;
  readonly to: string;
}

const FIRST_FROM = `SELECT tx_seq AS seq FROM primary_transactions WHERE network_id = $1 AND chain = $2
  AND block_timestamp >= $3 ORDER BY block_timestamp, tx_seq LIMIT 1`;

/**
 * Returns the transactions up to the bound that may have movements in a time range. Times never decrease along the P- and
 * the C-Chain. On the X-Chain the times of vertices are those of the indexed node, so that each transaction may be in the range.
 */
export async function readSeqRange(
  client: ClientBase,
  networkId: number,
  { chain, transactionCount }: LastBlock,
  { start, end }: TimeRange,
): Promise<SeqRange> {
  const seq = async (statement: string, value: number): Promise<bigint | null> => {
    const [row] = await readAll<{ seq: string }>(client, statement, [networkId, chain, value]);
    return row ? BigInt(row.seq) : null;
  };
  const last = BigInt(transactionCount ?? 0) - 1n;
  if (chain === "X") return { from: "0", to: String(last) };
  const first = start === null ? 0n : await seq(FIRST_FROM, start);
  const afterEnd = end === null ? null : await seq(FIRST_FROM, end);
  return {
    // The next block decides on a proposal, so that the last transaction before the range may pay within it.
    from: String((first ?? last + 1n) - 1n),
    to: String(afterEnd === null || afterEnd > last ? last : afterEnd - 1n),
  };
}

/**
 * Throws `INVALID_PARAMETER` if it is not certain which vertices of the X-Chain are in the time range, and `UNAVAILABLE` while the times of
 * vertices are provisional. `owners` are those whose movements are exported.
 */
export async function checkVertexTimes(
  client: ClientBase,
  networkId: number,
  owners: readonly Buffer[],
  { start, end }: TimeRange,
): Promise<void> {
  // A vertex is before a time if it was accepted in the second before it, or earlier.
  const times = [start, end].flatMap((time) => (time === null ? [] : [time - 1]));
  const values = [networkId, "X", owners, times, null];
  const { rows } = await client.query<InexactVertices>(
    `SELECT "isProvisional", encode("vertexHash", 'hex') AS "vertexHash", earliest, latest FROM (${INEXACT_VERTICES}) i`,
    values,
  );
  const [inexact] = rows;
  if (inexact) throw inexactTime("the range of days", { ...inexact, vertexHash: `0x${inexact.vertexHash ?? ""}` });
}
