import type pg from "pg";
import { loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import type { NodeSettings } from "../core/config/settings/nodes.ts";
import { openPool } from "../core/database/database.ts";
import { databaseName } from "../core/database/database-name.ts";
import { type Placement, settingsIn } from "../core/database/placement.ts";
import { databaseBytes } from "../core/database/workers.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { nodesOf } from "../core/networks/nodes.ts";
import { indexedChainName, PRIMARY_CHAINS } from "../core/networks/primary-chains.ts";
import { createLogger } from "../core/observability/logger.ts";
import { VERSION } from "../core/observability/version.ts";
import { chainStores } from "../indexer/archive/chain-stores.ts";
import type { NodeStatus } from "../indexer/shared/progress.ts";
import { queriesOf, writerLockKey } from "../indexer/shared/writer.ts";
import { joinDemo } from "./demo.ts";
import type { Outcome } from "./program/command.ts";

/** How far a chain is indexed. */
interface ChainStatus {
  readonly name: string;
  /** `NOT_RUNNING` if no process holds the lock of the chain's writer. */
  readonly state: "BACKFILLING" | "FOLLOWING" | "WAITING" | "STOPPED" | "NOT_RUNNING" | "NOT_INDEXED";
  readonly reason: string | null;
  readonly blockNumber: number | null;
  /** Last raw block of a chain without an indexed block, as `moraine restore` stores them; null if there is none. */
  readonly rawBlockNumber: number | null;
  readonly nodeBlockNumber: number | null;
  /** Blocks that the node has and the index lacks; null if one of the heights is not known. */
  readonly lag: number | null;
  readonly blocksPerSecond: number;
  /** Last block of the last comparison of samples without a difference; null if there was none. */
  readonly verifiedBlockNumber: number | null;
  /** Number of rows and values that differed in the last comparison; null before the first. */
  readonly differing: number | null;
  readonly nodes: readonly NodeInStatus[];
}

interface NodeInStatus extends NodeStatus {
  /** Host and port of its URL; null if the settings do not have the node. */
  readonly host: string | null;
}

interface Row {
  readonly key: string;
  readonly state: Exclude<ChainStatus["state"], "NOT_RUNNING" | "NOT_INDEXED"> | null;
  readonly reason: string | null;
  readonly block_number: string | null;
  readonly node_block_number: string | null;
  readonly blocks_per_second: number | null;
  /** Name of the writer of the chain. */
  readonly writer: string;
  readonly nodes: readonly NodeStatus[] | null;
  readonly verified_block_number: string | null;
  readonly differing_count: string | null;
}

/** The keys of the advisory locks that sessions of this database hold. */
const HELD_LOCKS = `SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** Those of some writers that run. Read by itself, because the rows may be on other servers, which have other locks. */
const HELD_BY = `SELECT name FROM unnest($1::text[]) AS name WHERE ${writerLockKey("name")} IN (${HELD_LOCKS})`;
const columns = (writer: string) => `p.state, p.reason, h.block_number, p.node_block_number, p.blocks_per_second,
  ${writer} AS writer, v.block_number AS verified_block_number, v.differing_count`;
const EVM = `SELECT chain_id::text AS key, ${columns("chain_id::text")}, p.nodes
  FROM chain_progress p FULL JOIN (chain_heads h LEFT JOIN chain_verifications v USING (chain_id)) USING (chain_id)`;
const PRIMARY = `SELECT network_id || ' ' || chain AS key, ${columns("'primary ' || network_id")}, p.nodes
  FROM primary_progress p FULL JOIN (
    (SELECT * FROM primary_heads WHERE raw_seq >= 0) h LEFT JOIN primary_verifications v USING (network_id, chain)
  ) USING (network_id, chain)`;
const VERSION_OF_SERVER = "SELECT current_setting('server_version') AS version";

/** `moraine status`. */
export async function showStatus(flags: readonly string[]): Promise<Outcome> {
  await using demo = await joinDemo(loadConfig(process.env, flags));
  await using opened = await openCommandDatabase(demo.config);
  return await readStatus(await opened.placement(), demo.config);
}

async function readStatus(placement: Placement, config: Config): Promise<Outcome> {
  const databases: DatabaseStatus[] = [];
  const chains: ChainStatus[] = [];
  for (const url of placement.all) {
    await using opened = openPool(url, 1, createLogger("error"));
    const found = await readDatabase(opened.pool, configuredChains(settingsIn(config, placement, url)));
    databases.push({ name: databaseName(url), ...found.database });
    chains.push(...found.chains);
  }
  const [main, ...others] = databases as [DatabaseStatus, ...DatabaseStatus[]];
  const { name: _, ...database } = main;
  const isWell = chains.every(({ state, differing }) => (differing ?? 0) === 0 && isRunning(state));
  const text = [
    `Moraine ${VERSION}, PostgreSQL ${database.version}, ${gigabytes(Number(database.bytes))} GB of data`,
    ...others.map(
      ({ name, version, bytes }) => `${name}: PostgreSQL ${version}, ${gigabytes(Number(bytes))} GB of data`,
    ),
    ...chains.map(lineOf),
    ...(chains.length === 0 ? ["no chain is configured"] : []),
  ].join("\n");
  return {
    text,
    data: { version: VERSION, database, ...(others.length > 0 && { databases }), chains },
    exitCode: isWell ? 0 : 1,
  };
}

/** A database of the settings. Its name has no password. */
interface DatabaseStatus {
  readonly name: string;
  readonly version: string;
  readonly bytes: string;
}

/** The database, and the state of the chains that are in it. */
async function readDatabase(
  pool: pg.Pool,
  configured: readonly ConfiguredChain[],
): Promise<{ readonly database: Omit<DatabaseStatus, "name">; readonly chains: readonly ChainStatus[] }> {
  const { rows } = await pool.query<Row>(`${EVM} UNION ALL ${PRIMARY}`);
  const servers = await pool.query<{ version: string }>(VERSION_OF_SERVER);
  const [{ version }] = servers.rows as [{ version: string }];
  const bytes = await databaseBytes(pool);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const held = await pool.query<{ name: string }>(HELD_BY, [rows.map(({ writer }) => writer)]);
  const writers = new Set(held.rows.map(({ name }) => name));
  const raw = await lastRawBlocks(
    pool,
    new Set(rows.filter(({ block_number }) => block_number !== null).map(({ key }) => key)),
  );
  return {
    database: { version, bytes: String(bytes) },
    chains: configured.map((chain) =>
      statusOf(chain, byKey.get(chain.key), { raw: raw.get(chain.key) ?? null, writers }),
    ),
  };
}

interface ConfiguredChain {
  /** That of the chain's row. */
  readonly key: string;
  readonly name: string;
  /** Hosts of its nodes, by the names of the nodes. */
  readonly hosts: ReadonlyMap<string, string>;
}

function configuredChains({ evmChains, primaryNetworks }: Config): ConfiguredChain[] {
  const hosts = (entry: NodeSettings) => new Map(nodesOf(entry).map(({ name, url }) => [name, new URL(url).host]));
  return [
    ...evmChains.map((chain) => ({
      key: String(chain.chainId),
      name: `${chain.chainName} (${chain.chainId})`,
      hosts: hosts(chain),
    })),
    ...primaryNetworks.flatMap((network) =>
      PRIMARY_CHAINS.map((chain) => ({
        key: `${network.networkId} ${chain}`,
        name: indexedChainName(chain, network.network),
        hosts: hosts(network),
      })),
    ),
  ];
}

/** The last raw blocks of the chains that have no indexed block, by the key of the chain's row. */
async function lastRawBlocks(pool: pg.Pool, indexed: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const session = queriesOf(pool);
  const last = new Map<string, number>();
  for (const {
    key: { id, chain },
    last: lastOf,
  } of await chainStores(session)) {
    const key = chain === "" ? id : `${id} ${chain}`;
    const position = indexed.has(key) ? -1 : await lastOf(session);
    if (position >= 0) last.set(key, position);
  }
  return last;
}

interface Running {
  /** Last raw block of the chain; null if it is not known. */
  readonly raw: number | null;
  /** Names of the writers that run. */
  readonly writers: ReadonlySet<string>;
}

function statusOf({ name, hosts }: ConfiguredChain, row: Row | undefined, { raw, writers }: Running): ChainStatus {
  const numberOf = (text: string | null | undefined) => (text == null ? null : Number(text));
  const blockNumber = numberOf(row?.block_number);
  const nodeBlockNumber = numberOf(row?.node_block_number);
  return {
    name,
    state: stateOf(row, writers),
    reason: row?.reason ?? null,
    blockNumber,
    rawBlockNumber: raw,
    nodeBlockNumber,
    lag: blockNumber === null || nodeBlockNumber === null ? null : Math.max(0, nodeBlockNumber - blockNumber),
    blocksPerSecond: row?.blocks_per_second ?? 0,
    verifiedBlockNumber: numberOf(row?.verified_block_number),
    differing: numberOf(row?.differing_count),
    nodes: (row?.nodes ?? []).map((node) => ({ ...node, host: hosts.get(node.name) ?? null })),
  };
}

function stateOf(row: Row | undefined, writers: ReadonlySet<string>): ChainStatus["state"] {
  // `moraine restore --raw` writes rows, and no state.
  if (!row || (row.state === null && row.block_number === null)) return "NOT_INDEXED";
  return writers.has(row.writer) ? (row.state ?? "BACKFILLING") : "NOT_RUNNING";
}

const isRunning = (state: ChainStatus["state"]): boolean => state === "FOLLOWING" || state === "BACKFILLING";

function lineOf(status: ChainStatus): string {
  const { name, state, reason, blockNumber, rawBlockNumber, lag, blocksPerSecond, verifiedBlockNumber, differing } =
    status;
  const rawBlocks =
    rawBlockNumber === null
      ? "no block"
      : `raw blocks up to ${rawBlockNumber} are stored, and moraine start computes the rows from them`;
  const parts = [
    blockNumber === null ? rawBlocks : `block ${blockNumber}`,
    ...(lag === null ? [] : [`${lag} behind the node`]),
    ...(state === "BACKFILLING" ? [`${Math.round(blocksPerSecond)} blocks/s`] : []),
    ...(verifiedBlockNumber === null ? [] : [`verified up to block ${verifiedBlockNumber}`]),
    ...(differing ? [`${differing} compared values differ`] : []),
    ...(reason === null ? [] : [reason]),
  ];
  const line = `${name}: ${state.toLowerCase().replace("_", " ")}, ${parts.join(", ")}`;
  // Of a single node, the line of the chain says everything.
  return status.nodes.length > 1 ? [line, ...status.nodes.map(nodeLineOf)].join("\n") : line;
}

function nodeLineOf({ name, host, state, head, reason }: NodeInStatus): string {
  const parts = [head === null ? "no block" : `block ${head}`, ...(reason === null ? [] : [reason])];
  return `  ${name}${host === null ? "" : ` (${host})`}: ${state.toLowerCase()}, ${parts.join(", ")}`;
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(bytes < 1e10 ? 2 : 0);
