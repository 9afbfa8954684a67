import type pg from "pg";
import { repeat } from "../../async/repeat.ts";
import type { Config } from "../../config/config-schema.ts";
import type { Network } from "../../config/settings/network.ts";
import { runLimited } from "../../database/limited-statements.ts";
import { createPool } from "../../database/postgres/connect.ts";
import type { Logger } from "../../observability/logger.ts";
import { createOutageLog } from "../../observability/outage-log.ts";
import { type ApiKeys, createApiKeys, createKeyTable, type HashedKey, type StoredKeys } from "./api-keys.ts";

export interface StoredKeysOptions {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly nowMs?: () => number;
  /** Pause between two reads. Default: one second. */
  readonly pollMs?: number;
  /** Longest time of a read. Default: two seconds. */
  readonly readLimitMs?: number;
}

/** A revoked key may be accepted for this time. */
const FRESH_MS = 5_000;
const READ_LIMIT_MS = 2_000;

/** Changes with every change of the table, also with one that is made by hand. */
const STATE = "SELECT count(*) || ' ' || COALESCE(sum(xmin::text::bigint), 0) AS state FROM api_keys";
const KEYS = `
  SELECT key_hash, compute_units_per_minute, compute_units_per_day, networks, scopes
  FROM api_keys WHERE revoked_at IS NULL`;

interface KeyRow {
  readonly key_hash: Buffer;
  readonly compute_units_per_minute: number | null;
  readonly compute_units_per_day: number | null;
  readonly networks: Network[] | null;
  readonly scopes: string[] | null;
}

/**
 * The API keys of the settings and of the database. Those of the database are read every second over a connection of its own.
 * Resolves after the first read, also if it fails.
 */
export async function startApiKeys(
  config: Pick<Config, "apiKeys" | "keyHeaders">,
  options: StoredKeysOptions,
): Promise<ApiKeys & AsyncDisposable> {
  const { databaseUrl, logger, nowMs = Date.now, pollMs = 1_000, readLimitMs = READ_LIMIT_MS } = options;
  const pool = createPool(databaseUrl, {
    max: 1,
    application_name: "moraine keys",
    connectionTimeoutMillis: READ_LIMIT_MS,
  });
  pool.on("error", (error) => logger.debug({ err: error }, "the database connection of the API keys was lost"));
  const keys = createKeyTable([]);
  const watches = createWatches();
  let knownState = "";
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  const outage = createOutageLog({ logger, subject: "reading the API keys of the database" });
  const read = async () => {
    const startedMs = nowMs();
    try {
      const { state, changed } = await runLimited(pool, readLimitMs, (client) => readChange(client, knownState));
      if (changed) watches.call(keys.replace(changed));
      knownState = state;
      freshUntilMs = startedMs + FRESH_MS;
      outage.succeeded();
    } catch (error) {
      outage.failedBy(error);
    }
  };
  await read();
  const stop = repeat(read, pollMs);
  const stored: StoredKeys = {
    keys,
    isFresh: () => nowMs() <= freshUntilMs,
    onRevoked(name, call) {
      if (keys.has(name)) return watches.add(name, call);
      // The key was revoked after the request was identified. The caller of this function does not expect a call before it returns.
      queueMicrotask(call);
      return () => {};
    },
  };
  return {
    ...createApiKeys(config, stored),
    async [Symbol.asyncDispose]() {
      await stop();
      await pool.end();
    },
  };
}

/** Reads the keys if the table has changed. Otherwise `changed` is null. */
async function readChange(
  client: pg.PoolClient,
  knownState: string,
): Promise<{ readonly state: string; readonly changed: HashedKey[] | null }> {
  const state = (await client.query<{ state: string }>(STATE)).rows[0]?.state ?? "";
  if (state === knownState) return { state, changed: null };
  return { state, changed: (await client.query<KeyRow>(KEYS)).rows.map(hashedKey) };
}

function hashedKey(row: KeyRow): HashedKey {
  return {
    hash: row.key_hash,
    computeUnitsPerMinute: row.compute_units_per_minute ?? undefined,
    computeUnitsPerDay: row.compute_units_per_day ?? undefined,
    networks: row.networks?.length ? row.networks : undefined,
    scopes: row.scopes ?? [],
  };
}

/** Functions to call when a key disappears, by the key's name. */
function createWatches() {
  const watches = new Map<string, Set<() => void>>();
  return {
    add(name: string, call: () => void): () => void {
      const calls = watches.get(name) ?? new Set();
      watches.set(name, calls.add(call));
      return () => {
        calls.delete(call);
        if (calls.size === 0 && watches.get(name) === calls) watches.delete(name);
      };
    },
    call(names: readonly string[]): void {
      for (const name of names) {
        const calls = watches.get(name) ?? [];
        watches.delete(name);
        for (const call of calls) call();
      }
    },
  };
}
