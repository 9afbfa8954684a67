import { BadUpstreamData } from "../../core/errors/errors.ts";
import { acceptedEntries, appendEntries, lastBlockNumber } from "../evm/raw-blocks/entries.ts";
import { compressedTraces } from "../evm/raw-blocks/raw-traces.ts";
import { createPartitionsOf } from "../shared/partitions.ts";
import { copiesOf } from "../shared/table-rows.ts";
import type { Queries } from "../shared/writer.ts";
import type { ChainStore } from "./chain-store.ts";
import type { BlockFile, Tip } from "./manifest.ts";

/** A block with its call trees, as the database has them. Hashes and payloads are bytes or hex. */
export interface EvmRow {
  readonly block_number: number;
  readonly block_hash: Buffer | string;
  readonly parent_hash: Buffer | string;
  readonly payload: Buffer;
  /** Null if the call trees are not stored. */
  readonly traces: Buffer | null;
}

export const EVM_COLUMNS = {
  chain_id: "bigint",
  block_number: "bigint",
  block_hash: "bytea",
  parent_hash: "bytea",
  payload: "bytea",
  traces: "bytea?",
} as const;

const PAGE = 200;

export const hexOf = (bytes: Buffer | string): string => (typeof bytes === "string" ? bytes : bytes.toString("hex"));

/** Checks that a block names the block before it as its parent. Hashes are hex without `0x`. */
export function requireParent(number: number, parentHash: string, before: string): void {
  if (parentHash === before) return;
  throw new BadUpstreamData(
    `block ${number} names 0x${parentHash} as its parent, but the block before it is 0x${before}`,
  );
}

/** Checks that a block follows the last one by its number and its parent hash. */
function followEvm(tip: Tip | null, row: EvmRow): Tip {
  const [blockId, parentId] = [hexOf(row.block_hash), hexOf(row.parent_hash)];
  const height = tip === null ? 0 : tip.height + 1;
  if (row.block_number !== height) throw new BadUpstreamData(`block ${height} is missing`);
  if (tip !== null) requireParent(height, parentId, tip.blockId);
  return { height, blockId, containerId: blockId };
}

/** The current blocks of an EVM chain. Blocks that were replaced are left out. */
export function createEvmStore(chainId: string): ChainStore<EvmRow> {
  return {
    key: { table: "raw_blocks", id: chainId, chain: "" },
    columns: EVM_COLUMNS,
    last: (session) => lastBlockNumber(session, chainId),
    async read(session, from, to) {
      const entries = await acceptedEntries(session, chainId, from, Math.min(to, from + PAGE - 1));
      const hashes = entries.map(({ blockHash }) => blockHash);
      const traces = await compressedTraces(session, chainId, hashes);
      return entries.map(({ blockNumber, blockHash, parentHash, payload }) => ({
        block_number: blockNumber,
        block_hash: blockHash,
        parent_hash: parentHash,
        payload: payload as Buffer,
        traces: traces.get(blockHash) ?? null,
      }));
    },
    async isCurrent(session, { to, tip }) {
      if (to > (await lastBlockNumber(session, chainId))) return false;
      const [entry] = await acceptedEntries(session, chainId, to, to);
      return entry?.blockHash === tip?.blockId;
    },
    changed: (session, files) => tracedSince(session, chainId, files),
    positionOf: ({ block_number }) => block_number,
    isMarked: ({ traces }) => traces === null,
    bytesOf: ({ payload, traces }) => payload.length + (traces?.length ?? 0),
    follow: followEvm,
    prepare: (writer) => createPartitionsOf(writer, ["raw_blocks", "raw_traces"], chainId),
    async insert(session, rows) {
      const entries = rows.map(({ block_number, block_hash, parent_hash, payload }) => ({
        seq: block_number + 1,
        blockNumber: block_number,
        blockHash: hexOf(block_hash),
        parentHash: hexOf(parent_hash),
        payload,
      }));
      await appendEntries(session, chainId, entries);
      const traced = rows.filter(({ traces }) => traces !== null);
      const traces = traced.map(({ block_number, block_hash, traces }) => ({
        block_hash: hexOf(block_hash),
        block_number,
        payload: traces as Buffer,
      }));
      await session.copy(copiesOf("raw_traces", chainId, traces));
    },
  };
}

const COVERED = "SELECT coalesce(max(block_number), -1) AS head FROM chain_heads WHERE chain_id = $1";
const MISSING = `SELECT f.i AS file, coalesce(sum(least(u.to_block, f.until) - greatest(u.from_block, f.since) + 1)
    FILTER (WHERE u.from_block IS NOT NULL), 0) AS missing
  FROM unnest($2::int[], $3::bigint[], $4::bigint[]) AS f(i, since, until)
  LEFT JOIN untraced_ranges u ON u.chain_id = $1 AND u.from_block <= f.until AND u.to_block >= f.since GROUP BY f.i`;

/** The files for whose blocks call trees were stored later. The ranges without call trees are known only where rows are computed. */
async function tracedSince(
  session: Queries,
  chainId: string,
  files: readonly BlockFile[],
): Promise<ReadonlySet<BlockFile>> {
  const [row] = await session.query<{ head: string }>(COVERED, [chainId]);
  const known = files.filter(({ to, mark }) => mark > 0 && to <= Number(row?.head ?? -1));
  const values = [known.map((_, i) => i), known.map(({ from }) => from), known.map(({ to }) => to)];
  const counts = await session.query<{ file: number; missing: string }>(MISSING, [chainId, ...values]);
  return new Set(
    counts.flatMap(({ file, missing }) => {
      const found = known[file];
      return found && Number(missing) < found.mark ? [found] : [];
    }),
  );
}
