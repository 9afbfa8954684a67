import { randomBytes } from "node:crypto";
import type pg from "pg";
import { ConfigError } from "../core/config/config.ts";
import { quoted } from "../core/errors/errors.ts";
import { hashOf, nameOf } from "../core/limits/access/api-keys.ts";

/** The rules of a key, all of which can be changed. A limit of null means no limit; an empty list of networks means all networks. */
export interface StoredRules {
  readonly computeUnitsPerMinute: number | null;
  readonly computeUnitsPerDay: number | null;
  readonly networks: readonly string[];
  readonly scopes: readonly string[];
}

/** A key of the table, without the key itself, which is stored nowhere. */
export interface StoredKey extends StoredRules {
  readonly name: string;
  readonly label: string;
  /** Unix time in seconds. */
  readonly createdAt: number;
  /** Unix time in seconds; null while the key is valid. */
  readonly revokedAt: number | null;
}

const COLUMNS = `
  key_hash AS hash, label, compute_units_per_minute AS "computeUnitsPerMinute", compute_units_per_day AS "computeUnitsPerDay",
  COALESCE(networks, '{}') AS networks, COALESCE(scopes, '{}') AS scopes,
  created_at::float8 AS "createdAt", revoked_at::float8 AS "revokedAt"`;

/** Begins every created key, so that scanners of published code recognise it. */
const KEY_PREFIX = "moraine_";
const KEY_BYTES = 32;

/** Creates a key of 32 random bytes. Only its hash is stored. */
export async function createStoredKey(
  pool: pg.Pool,
  label: string,
  rules: StoredRules,
  nowSeconds: number,
): Promise<{ readonly key: string; readonly name: string }> {
  const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString("base64url");
  const keyHash = hashOf(key);
  // A command line would take such a name for an option.
  if (nameOf(keyHash).startsWith("-")) return await createStoredKey(pool, label, rules, nowSeconds);
  await pool.query(
    `INSERT INTO api_keys (key_hash, label, compute_units_per_minute, compute_units_per_day, networks, scopes, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [keyHash, label, ...valuesOf(rules), nowSeconds],
  );
  return { key, name: nameOf(keyHash) };
}

/** All keys, the oldest first. */
export async function listStoredKeys(pool: pg.Pool): Promise<StoredKey[]> {
  return (await readKeys(pool)).map(({ hash: _, ...key }) => key);
}

/** Replaces rules of a key. Throws `ConfigError` if no valid key has the name. */
export async function limitStoredKey(pool: pg.Pool, name: string, changes: Partial<StoredRules>): Promise<StoredKey> {
  const { hash, ...key } = await requireKey(pool, name);
  const changed = { ...key, ...changes };
  await pool.query(
    `UPDATE api_keys SET compute_units_per_minute = $2, compute_units_per_day = $3, networks = $4, scopes = $5
     WHERE key_hash = $1`,
    [hash, ...valuesOf(changed)],
  );
  return changed;
}

/** Revokes a key for good. Throws `ConfigError` if no valid key has the name. */
export async function revokeStoredKey(pool: pg.Pool, name: string, nowSeconds: number): Promise<StoredKey> {
  const { hash, ...key } = await requireKey(pool, name);
  await pool.query("UPDATE api_keys SET revoked_at = $2 WHERE key_hash = $1", [hash, nowSeconds]);
  return { ...key, revokedAt: nowSeconds };
}

type KeyRow = Omit<StoredKey, "name"> & { readonly hash: Buffer };

async function readKeys(pool: pg.Pool): Promise<(StoredKey & { readonly hash: Buffer })[]> {
  const { rows } = await pool.query<KeyRow>(`SELECT ${COLUMNS} FROM api_keys ORDER BY created_at, key_hash`);
  return rows.map((row) => ({ ...row, name: nameOf(row.hash) }));
}

async function requireKey(pool: pg.Pool, name: string): Promise<StoredKey & { readonly hash: Buffer }> {
  const found = (await readKeys(pool)).find((key) => key.name === name);
  if (!found) throw new ConfigError(`no key has the name ${quoted(name)}: moraine keys list prints the names`);
  if (found.revokedAt !== null) throw new ConfigError(`the key ${name} is already revoked`);
  return found;
}

function valuesOf({ computeUnitsPerMinute, computeUnitsPerDay, networks, scopes }: StoredRules): unknown[] {
  return [computeUnitsPerMinute, computeUnitsPerDay, networks, scopes];
}
