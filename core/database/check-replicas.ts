import type pg from "pg";
import { ConfigError } from "../config/config.ts";
import { errorCode, messageOf } from "../errors/errors.ts";
import { reasonOf } from "./database-errors.ts";
import { databaseName, serverName } from "./database-name.ts";
import { DATABASE_SETTING } from "./database-refusal.ts";
import { isDistributed } from "./distribution.ts";
import type { Placement } from "./placement.ts";
import { withSession } from "./postgres/connect.ts";
import { readPosition, replicaContradiction, type ServerPosition } from "./replica-position.ts";

const TIMEOUT_MS = 5_000;

/** What a server of `databaseReadUrls` is. */
export interface CheckedReplica {
  /** Host and port. */
  readonly name: string;
  /** Why it is not a replica of the server of `databaseUrl`; null if it is one, or if it cannot be reached. */
  readonly contradiction: string | null;
  /** Why it cannot be asked; null if it can. */
  readonly outage: string | null;
}

const onSession = <Result>(url: string, read: (client: pg.Client) => Promise<Result>): Promise<Result> =>
  withSession(url, read, { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });

/** `INSUFFICIENT_PRIVILEGE` of PostgreSQL. */
const LACKS_RIGHT = "42501";

/** Throws `ConfigError` if the role may not read the identity of the server: somebody has taken this right from all roles. */
async function positionAt(url: string): Promise<ServerPosition> {
  try {
    return await onSession(url, readPosition);
  } catch (error) {
    if (errorCode(error) !== LACKS_RIGHT) throw error;
    throw new ConfigError(
      `setting databaseReadUrls: ${serverName(url)} does not let the role read the identity of the server (${messageOf(error)}): run GRANT EXECUTE ON FUNCTION pg_control_system() TO this role on the primary server, in the database of Moraine`,
    );
  }
}

/** A replica of the coordinator reads some tables from itself and others from the workers, which are at another moment. */
const DISTRIBUTED = "Citus distributes the database, and a replica of the coordinator would be behind the workers";

/**
 * Compares the servers of `databaseReadUrls` with that of `databaseUrl`. Rejects if the latter cannot be asked. Throws `ConfigError` if the
 * role of one lacks the right.
 */
export async function compareReplicas(url: string, readUrls: readonly string[]): Promise<CheckedReplica[]> {
  if (readUrls.length === 0) return [];
  if (await onSession(url, isDistributed))
    return readUrls.map((readUrl) => ({ name: serverName(readUrl), contradiction: DISTRIBUTED, outage: null }));
  const primary = await positionAt(url);
  return Promise.all(
    readUrls.map(async (readUrl) => {
      const name = serverName(readUrl);
      try {
        const contradiction = replicaContradiction(await positionAt(readUrl), primary);
        return { name, contradiction, outage: null };
      } catch (error) {
        if (error instanceof ConfigError) throw error;
        return { name, contradiction: null, outage: reasonOf(error) };
      }
    }),
  );
}

/**
 * Throws `ConfigError` if the server of a database is a standby, or if one of `databaseReadUrls` is no replica of the main database. A replica
 * that cannot be reached may come later. Rejects if the server of a database cannot be asked.
 */
export async function requireServers(
  { main, all }: Pick<Placement, "main" | "all">,
  readUrls: readonly string[],
): Promise<void> {
  for (const url of all) await requirePrimary(url, url === main);
  for (const { name, contradiction } of await compareReplicas(main, readUrls))
    if (contradiction !== null)
      throw new ConfigError(`setting databaseReadUrls names ${name}, which cannot be used: ${contradiction}`);
}

async function requirePrimary(url: string, isMain: boolean): Promise<void> {
  const isStandby = await onSession(url, async (client) => {
    const { rows } = await client.query<{ is_standby: boolean }>("SELECT pg_is_in_recovery() AS is_standby");
    return rows[0]?.is_standby;
  });
  if (!isStandby) return;
  const why = "(the server is a standby, which cannot be written)";
  throw new ConfigError(
    isMain
      ? `the database cannot be used ${why}: ${DATABASE_SETTING}: name the primary server, and the standby in the setting databaseReadUrls`
      : `the database ${databaseName(url)} cannot be used ${why}: name the primary server in the settings databaseUrl of its chains and networks`,
  );
}
