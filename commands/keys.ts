import { ConfigError } from "../core/config/config.ts";
import { SCOPE, SCOPE_RULE } from "../core/config/settings/key-scope.ts";
import { NETWORKS } from "../core/config/settings/network.ts";
import { quoted } from "../core/errors/errors.ts";
import {
  createStoredKey,
  limitStoredKey,
  listStoredKeys,
  revokeStoredKey,
  type StoredKey,
  type StoredRules,
} from "./key-store.ts";
import type { Outcome } from "./program/command.ts";
import { withPool } from "./with-pool.ts";

const NO_RULES: StoredRules = { computeUnitsPerMinute: null, computeUnitsPerDay: null, networks: [], scopes: [] };

/** Values of the options that set the rules of a key. */
export interface RuleValues {
  readonly "per-minute"?: string | undefined;
  readonly "per-day"?: string | undefined;
  readonly network?: readonly string[] | undefined;
  readonly scope?: readonly string[] | undefined;
}

const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** `moraine keys create`. */
export async function createKey(label: string, values: RuleValues, flags: readonly string[]): Promise<Outcome> {
  const name = requireLabel(label);
  const rules = { ...NO_RULES, ...rulesOf(values) };
  const key = await withPool(flags, (pool) => createStoredKey(pool, name, rules, nowSeconds()));
  return { text: created(key), data: key };
}

/** `moraine keys list`. */
export async function listKeys(flags: readonly string[]): Promise<Outcome> {
  const keys = await withPool(flags, listStoredKeys);
  return { text: keys.map(describe).join("\n") || "there are no keys", data: keys };
}

/** `moraine keys limit`. */
export async function limitKey(name: string, values: RuleValues, flags: readonly string[]): Promise<Outcome> {
  const rules = rulesOf(values);
  if (Object.keys(rules).length === 0)
    throw new ConfigError("nothing was given to replace: give --per-minute, --per-day, --network or --scope");
  return outcomeOf(await withPool(flags, (pool) => limitStoredKey(pool, name, rules)));
}

/** `moraine keys revoke`. */
export async function revokeKey(name: string, flags: readonly string[]): Promise<Outcome> {
  return outcomeOf(await withPool(flags, (pool) => revokeStoredKey(pool, name, nowSeconds())));
}

const outcomeOf = (key: StoredKey): Outcome => ({ text: describe(key), data: key });

/** The rules that are given. */
function rulesOf(values: RuleValues): Partial<StoredRules> {
  const { network, scope, "per-minute": perMinute, "per-day": perDay } = values;
  return {
    ...(perMinute === undefined ? {} : { computeUnitsPerMinute: limitOf("per-minute", perMinute) }),
    ...(perDay === undefined ? {} : { computeUnitsPerDay: limitOf("per-day", perDay) }),
    ...(network === undefined ? {} : { networks: network.includes("all") ? [] : network.map(requireNetwork) }),
    ...(scope === undefined ? {} : { scopes: scope.includes("none") ? [] : scope.map(requireScope) }),
  };
}

function requireLabel(value: string): string {
  const label = value.trim();
  if (label !== "") return label;
  throw new ConfigError(`--label is ${quoted(value)}: must have a character that is not a space`);
}

const MAX_LIMIT = 2 ** 31 - 1;

function limitOf(option: string, value: string): number | null {
  if (value === "none") return null;
  const limit = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new ConfigError(`--${option} is ${quoted(value)}: must be none or a whole number from 1 to ${MAX_LIMIT}`);
}

function requireNetwork(value: string): string {
  if ((NETWORKS as readonly string[]).includes(value)) return value;
  throw new ConfigError(`--network is ${quoted(value)}: must be all or one of ${NETWORKS.join(", ")}`);
}

function requireScope(value: string): string {
  if (SCOPE.test(value)) return value;
  throw new ConfigError(`--scope is ${quoted(value)}: ${SCOPE_RULE}`);
}

function created({ key, name }: { readonly key: string; readonly name: string }): string {
  return `${key}\n\nThis is the only time that the key is printed. Its name is ${name}.`;
}

function describe(key: StoredKey): string {
  const state = key.revokedAt === null ? "valid" : `revoked ${dateOf(key.revokedAt)}`;
  const { name, label, computeUnitsPerMinute: perMinute, computeUnitsPerDay: perDay, networks, scopes } = key;
  return [
    name,
    JSON.stringify(label),
    state,
    `created ${dateOf(key.createdAt)}`,
    `${perMinute ?? "unlimited"} per minute`,
    `${perDay ?? "unlimited"} per day`,
    `networks ${networks.join(",") || "all"}`,
    `scopes ${scopes.join(",") || "none"}`,
  ].join("  ");
}

const dateOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 19);
