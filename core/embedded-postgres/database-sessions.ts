import { ConfigError } from "../config/config.ts";
import type { Config } from "../config/config-schema.ts";
import { databaseName, serverName } from "../database/database-name.ts";
import { type Placement, settingsIn } from "../database/placement.ts";
import { withSession } from "../database/postgres/connect.ts";
import type { Logger } from "../observability/logger.ts";
import { LEAST_CONNECTIONS } from "./postmaster.ts";

/** The database sessions of a part of Moraine. */
export interface PartSessions {
  readonly part: string;
  /** Sessions that are open all the time. */
  readonly held: number;
  /** Sessions that may be open at the same time. */
  readonly most: number;
}

/** Sessions of commands and migrations, which run beside the service. */
const FOR_COMMANDS = 8;

/** In how many sessions a process of the indexer writes its chains and networks, which share them if they are more. */
export const MOST_WRITER_SESSIONS = 8;

/**
 * The sessions of the indexer. Those that write chains and networks also hold the locks that make a process their only writer. Each process
 * has one that listens to requests for metadata of EVM chains, one while another is renewed, two that store the progress, and one that maintains
 * tables. The progress and the maintenance each have one more for cancelling statements. Prices have one.
 */
export function indexerSessions({ evmChains, primaryNetworks, prices }: Config, processes: number): PartSessions {
  const writers = Math.min(evmChains.length + primaryNetworks.length, processes * MOST_WRITER_SESSIONS);
  const held = writers + (prices.url === undefined ? 0 : 1);
  const listening = evmChains.length > 0 ? processes : 0;
  return { part: "indexer", held: held + listening + processes, most: held + listening + processes * 6 };
}

/** The sessions of all parts that `npm start` runs. */
export function allSessions(config: Config, indexerProcesses: number): readonly PartSessions[] {
  const { api, databasePoolSize, databaseReadUrls, exports } = config;
  // Besides the pool: one for cancelling statements, two that listen to notifications, one each for API keys and rate limits. With replicas,
  // one that asks how far the server has written.
  const held = databaseReadUrls.length > 0 ? 6 : 5;
  return [
    { part: "API", held: held * api.processes, most: (databasePoolSize + held) * api.processes },
    indexerSessions(config, indexerProcesses),
    // Pools of five and two, one that listens to notifications, one of the queue; each job reads in one and writes in another.
    ...(exports.isOn ? [{ part: "exports", held: 3, most: 9 + exports.concurrency * 2 }] : []),
    { part: "signatures", held: 0, most: 4 },
    { part: "commands", held: 0, most: FOR_COMMANDS },
  ];
}

/** The sessions of all parts in a database that only has chains and networks: those of the settings. */
export function cellSessions(config: Config, indexerProcesses: number): readonly PartSessions[] {
  const { api, databasePoolSize, exports } = config;
  return [
    // Besides the pool: one for cancelling statements, two that listen to notifications.
    { part: "API", held: 2 * api.processes, most: (databasePoolSize + 3) * api.processes },
    indexerSessions({ ...config, prices: { ...config.prices, url: undefined } }, indexerProcesses),
    ...(exports.isOn ? [{ part: "exports", held: 0, most: exports.concurrency }] : []),
    { part: "signatures", held: 0, most: 4 },
    { part: "commands", held: 0, most: FOR_COMMANDS },
  ];
}

/** How the sessions in a database follow from the settings, which have only the chains and networks of this database. */
export type SessionsIn = (config: Config, isMain: boolean) => readonly PartSessions[];

/** Runs `checkConnections` for each server of the placement, with the sessions in all of its databases. */
export async function checkServers(
  config: Config,
  placement: Placement,
  sessionsIn: SessionsIn,
  logger: Logger,
): Promise<void> {
  const servers = new Map<string, { readonly url: string; readonly parts: PartSessions[] }>();
  for (const url of placement.all) {
    const server = serverName(url);
    const parts = sessionsIn(settingsIn(config, placement, url), url === placement.main);
    const name = placement.all.length === 1 ? "" : ` in ${databaseName(url)}`;
    const known = servers.get(server) ?? { url, parts: [] };
    servers.set(server, known);
    known.parts.push(...parts.map((one) => ({ ...one, part: `${one.part}${name}` })));
  }
  for (const { url, parts } of servers.values()) await checkConnections(url, parts, logger);
}

const sumOf = (parts: readonly PartSessions[], of: "held" | "most"): number =>
  parts.reduce((sum, part) => sum + part[of], 0);

/** What PostgreSQL keeps back for superusers. */
const RESERVED = 3;
/** `max_connections` of an embedded server for these sessions. */
export function embeddedConnections(parts: readonly PartSessions[]): number {
  return Math.max(LEAST_CONNECTIONS, sumOf(parts, "most") + RESERVED);
}

/** The default of PostgreSQL. */
const LEAST_LOCKS = 64;

/** `max_locks_per_transaction` of an embedded server. A migration locks the tables of all chains in one transaction. */
export function embeddedLocks({ evmChains }: Pick<Config, "evmChains">): number {
  return Math.max(LEAST_LOCKS, evmChains.length);
}

const LIMITS = `SELECT current_setting('max_connections')::int AS max,
  current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) AS reserved`;

/**
 * Compares the sessions with `max_connections` of the server, and logs how many it must allow. Throws `ConfigError` if those that are open
 * all the time are too many already; warns if all of them are.
 */
async function checkConnections(url: string, parts: readonly PartSessions[], logger: Logger): Promise<void> {
  const { rows } = await withSession(url, (session) => session.query<{ max: number; reserved: number }>(LIMITS));
  const { max = 0, reserved = 0 } = rows[0] ?? {};
  const most = sumOf(parts, "most") + reserved;
  const list = parts.map((one) => `${one.part} ${one.most}`).join(", ");
  const need = `Moraine opens up to ${most - reserved} database sessions (${list}), and the server keeps ${reserved} back: max_connections of the server must be at least ${most}`;
  if (sumOf(parts, "held") + reserved > max)
    throw new ConfigError(`max_connections of the database server is ${max}, which is too small. ${need}`);
  if (most > max)
    logger.warn(`max_connections of the database server is ${max}. ${need}, or the setting databasePoolSize smaller`);
  else logger.info(`${need}; it is ${max}`);
}
