import { onceAtATime } from "../../../../core/async/once.ts";
import type { Config } from "../../../../core/config/config-schema.ts";
import { type Databases, prepared } from "../../../../core/database/database.ts";
import { isTimeout } from "../../../../core/database/database-errors.ts";
import { groupByPool } from "../../../../core/database/statement-pool.ts";
import { Failure } from "../../../../core/errors/errors.ts";
import { formatId } from "../../../../core/formats/id-text.ts";
import { PRIMARY_CHAINS } from "../../../../core/networks/primary-chains.ts";
import { SERVICE_WORK } from "../../../../core/work/work.ts";
import { withinLimit } from "../runner/time-limit.ts";
import type { Subnets } from "./subnets.ts";

/** Progress of the indexer for one key. Block numbers are null if unknown, or if nothing is indexed. */
export interface IndexingRow {
  readonly state: "BACKFILLING" | "FOLLOWING" | "WAITING" | "STOPPED";
  /** Why the indexer waits, has stopped, or rebuilds the rows. */
  readonly reason: string | null;
  readonly height: number | null;
  /** Block id at that height, in CB58. */
  readonly blockId: string | null;
  /** Height of the node's last block when the indexer last asked. */
  readonly head: number | null;
  /** Number of blocks after `height` up to `head`, at least 0. Null if `head` is unknown. */
  readonly lag: number | null;
  /** Changes whenever the indexer has fetched or written something. */
  readonly position: string;
  /** Seconds since the indexer last updated the row. */
  readonly silentSeconds: number;
  /** Last block of the last comparison of samples that found no difference; null if there was none. */
  readonly verifiedHeight: number | null;
  /** Whether the last comparison has found a difference. */
  readonly isDiffering: boolean;
}

/**
 * Reads the progress rows by the keys of `indexed-chains.ts`. Concurrent callers share one read of a database. Throws `UNAVAILABLE` if a
 * database does not answer within the time limit.
 */
export interface IndexingProgress {
  /** Reads all rows, and refreshes unknown subnets. */
  read(): Promise<ReadonlyMap<string, IndexingRow>>;
  /** Reads the rows with these keys. */
  readOf(keys: readonly string[]): Promise<ReadonlyMap<string, IndexingRow>>;
}

interface Row {
  readonly key: string;
  readonly state: IndexingRow["state"];
  readonly reason: string | null;
  readonly head: string | null;
  readonly fetched: string | null;
  readonly height: string | null;
  readonly blockHash: string | null;
  readonly rawSeq: string | null;
  readonly silentSeconds: string;
  readonly verifiedHeight: string | null;
  readonly differingCount: string | null;
}

const COLUMNS = `p.state, p.reason, p.node_block_number AS "head", p.fetched_block_number AS "fetched",
    nullif(h.block_number, -1) AS "height", h.block_hash AS "blockHash", h.raw_seq AS "rawSeq",
    extract(epoch FROM now())::bigint - p.updated_at AS "silentSeconds",
    v.block_number AS "verifiedHeight", v.differing_count AS "differingCount"`;

/** The rows of chains `$1` and networks `$2`. */
const ROWS = `SELECT p.chain_id::text AS "key", ${COLUMNS}
    FROM chain_progress p LEFT JOIN chain_heads h USING (chain_id) LEFT JOIN chain_verifications v USING (chain_id)
    WHERE p.chain_id = ANY ($1::bigint[])
  UNION ALL SELECT p.network_id || '/' || p.chain, ${COLUMNS}
    FROM primary_progress p LEFT JOIN primary_heads h USING (network_id, chain)
      LEFT JOIN primary_verifications v USING (network_id, chain)
    WHERE p.network_id = ANY ($2::bigint[])`;

/** Reads one database. */
type ReadRows = () => Promise<ReadonlyMap<string, IndexingRow>>;

export function createIndexingProgress(
  databases: Pick<Databases, "evm" | "primary">,
  config: Pick<Config, "evmChains" | "primaryNetworks">,
  subnets: Pick<Subnets, "refresh">,
  timeLimitMs: number,
): IndexingProgress {
  const reads = readsOf(databases, config);
  const entries = async (read: ReadRows) => [...(await read())];
  const entryOf = async (key: string): Promise<(readonly [string, IndexingRow])[]> => {
    const row = (await reads.of(key)?.())?.get(key);
    return row ? [[key, row]] : [];
  };
  const together = async (some: readonly Promise<(readonly [string, IndexingRow])[]>[]) => {
    try {
      return new Map((await Promise.all(some)).flat());
    } catch (error) {
      throw isTimeout(error) ? noAnswer() : error;
    }
  };
  const shared = onceAtATime(async () => (await Promise.all([together(reads.all.map(entries)), subnets.refresh()]))[0]);
  const within = (read: ReadRows) => withinLimit(read, timeLimitMs, () => Promise.reject(noAnswer()));
  return {
    read: () => within(shared),
    readOf: (keys) => within(() => together(keys.map(entryOf))),
  };
}

/** The reads of all databases that have chains or networks of the settings. */
function readsOf(
  { evm, primary }: Pick<Databases, "evm" | "primary">,
  { evmChains, primaryNetworks }: Pick<Config, "evmChains" | "primaryNetworks">,
): { readonly all: readonly ReadRows[]; of(key: string): ReadRows | undefined } {
  const chainIds = evmChains.map(({ chainId }) => String(chainId));
  const networkIds = primaryNetworks.map(({ networkId }) => String(networkId));
  const ofChains = new Map(groupByPool(evm.pool, chainIds).map(({ pool, partitions }) => [pool, partitions]));
  const ofNetworks = new Map(groupByPool(primary.pool, networkIds).map(({ pool, partitions }) => [pool, partitions]));
  const byKey = new Map<string, ReadRows>();
  for (const pool of new Set([...ofChains.keys(), ...ofNetworks.keys()])) {
    const [chains = [], networks = []] = [ofChains.get(pool), ofNetworks.get(pool)];
    const rowsOf = prepared<Row>(pool, "health-indexing", ROWS);
    const read = onceAtATime(async () => {
      const rows = await rowsOf([chains, networks], SERVICE_WORK);
      return new Map(rows.map((row) => [row.key, indexingRow(row)]));
    });
    for (const id of chains) byKey.set(id, read);
    for (const id of networks) for (const chain of PRIMARY_CHAINS) byKey.set(`${id}/${chain}`, read);
  }
  return { all: [...new Set(byKey.values())], of: (key) => byKey.get(key) };
}

const noAnswer = () => new Failure("UNAVAILABLE", "the database does not answer");

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

function indexingRow({ state, reason, blockHash, silentSeconds, ...row }: Row): IndexingRow {
  const height = numberOf(row.height);
  const head = numberOf(row.head);
  return {
    state,
    reason,
    height,
    head,
    silentSeconds: Number(silentSeconds),
    verifiedHeight: numberOf(row.verifiedHeight),
    isDiffering: Number(row.differingCount ?? 0) > 0,
    blockId: height === null || blockHash === null ? null : formatId(blockHash.slice(2)),
    lag: head === null ? null : Math.max(0, head - (height ?? -1)),
    position: `${row.fetched} ${row.height} ${row.rawSeq}`,
  };
}

/** Maximum number of blocks that an index may be behind its node's head. */
export const MAX_LAG_BLOCKS = 100;

/** True if the indexer follows the node's head, or if it waits or has stopped at most `MAX_LAG_BLOCKS` behind it. */
export function isAtHead({ state, lag, height }: IndexingRow): boolean {
  if (state === "FOLLOWING" || state === "BACKFILLING") return state === "FOLLOWING";
  return height !== null && lag !== null && lag <= MAX_LAG_BLOCKS;
}
