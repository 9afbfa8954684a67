import { ConfigError } from "../config/config.ts";
import { reasonOf } from "./database-errors.ts";
import { DATABASE_SETTING } from "./database-refusal.ts";
import { openSession } from "./postgres/connect.ts";
import { readPosition, replicaContradiction, type ServerPosition } from "./replica-position.ts";
import { nameOf } from "./replicas.ts";

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

async function positionAt(url: string): Promise<ServerPosition> {
  const client = await openSession(url, { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  try {
    return await readPosition(client);
  } finally {
    await client.end();
  }
}

/** Compares the servers of `databaseReadUrls` with that of `databaseUrl`. Rejects if the latter cannot be asked. */
export async function compareReplicas(url: string, readUrls: readonly string[]): Promise<CheckedReplica[]> {
  if (readUrls.length === 0) return [];
  const primary = await positionAt(url);
  return Promise.all(
    readUrls.map(async (readUrl) => {
      const name = nameOf(readUrl);
      try {
        const contradiction = replicaContradiction(await positionAt(readUrl), primary);
        return { name, contradiction, outage: null };
      } catch (error) {
        return { name, contradiction: null, outage: reasonOf(error) };
      }
    }),
  );
}

/**
 * Throws `ConfigError` if the server of `databaseUrl` is a standby, or if one of `databaseReadUrls` is no replica of it. A replica that cannot
 * be reached may come later. Rejects if the server of `databaseUrl` cannot be asked.
 */
export async function requireServers(url: string, readUrls: readonly string[]): Promise<void> {
  const client = await openSession(url, { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  const { rows } = await client
    .query<{ is_standby: boolean }>("SELECT pg_is_in_recovery() AS is_standby")
    .finally(() => client.end());
  if (rows[0]?.is_standby)
    throw new ConfigError(
      `the database cannot be used (the server is a standby, which cannot be written): ${DATABASE_SETTING}: name the primary server, and the standby in the setting databaseReadUrls`,
    );
  for (const { name, contradiction } of await compareReplicas(url, readUrls))
    if (contradiction !== null)
      throw new ConfigError(`setting databaseReadUrls names ${name}, which cannot be used: ${contradiction}`);
}
