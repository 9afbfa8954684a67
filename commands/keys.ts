import { parseArgs } from "node:util";
import type pg from "pg";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import { SCOPE, SCOPE_RULE } from "../core/config/settings/key-scope.ts";
import { NETWORKS } from "../core/config/settings/network.ts";
import { openPool } from "../core/database/database.ts";
import { databaseRefusal } from "../core/database/database-refusal.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { messageOf, quoted } from "../core/errors/errors.ts";
import { createLogger } from "../core/observability/logger.ts";
import {
  createStoredKey,
  limitStoredKey,
  listStoredKeys,
  revokeStoredKey,
  type StoredKey,
  type StoredRules,
} from "./key-store.ts";

const USAGE = `npm run keys -- create --label <text> [--per-minute <units>] [--per-day <units>] [--network mainnet|fuji] [--scope <scope>]
npm run keys -- list
npm run keys -- limit <name> [--per-minute <units>] [--per-day <units>] [--network mainnet|fuji] [--scope <scope>]
npm run keys -- revoke <name>

  create        creates an API key and prints it. It is stored as a hash, so it cannot be printed again
  list          prints the name, label, state, date, limits, networks and scopes of every key
  limit         replaces the given limits, networks or scopes of a key, within five seconds in every running process
  revoke        makes a key invalid, within five seconds in every running process

  --label       what you call the key, such as the customer's name
  --per-minute  rate limit in compute units per minute; none: no limit. Default of a new key: none
  --per-day     the same per day (UTC)
  --network     network that the key gives access to; can be repeated; all: every network. Default of a new key: all
  --scope       scope of the key, which the setting keyRequirements may require; can be repeated; none: no scope
  --help        print this text`;

const text = { type: "string" } as const;
const list = { type: "string", multiple: true } as const;
const OPTIONS = { label: text, "per-minute": text, "per-day": text, network: list, scope: list } as const;

/** Runs a command and returns the text to print. */
type Run = (pool: pg.Pool) => Promise<string>;

const NO_RULES: StoredRules = { computeUnitsPerMinute: null, computeUnitsPerDay: null, networks: [], scopes: [] };

/** `npm run keys`: manages the API keys of the database. */
async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) return console.log(USAGE);
  const run = parseCommand(args);
  const config = loadConfig(process.env);
  await using opened = await openCommandDatabase(config);
  await using database = openPool(opened.url, 1, createLogger("error"));
  console.log(await run(database.pool));
}

/** Throws `ConfigError` for an unknown command or option, and for a missing or wrong value. */
function parseCommand(args: readonly string[]): Run {
  const { values, positionals } = parsed(args);
  const [command, name, ...others] = positionals;
  const rules = rulesOf(values);
  const hasOptions = Object.keys(values).length > 0;
  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  if (command === "create" && name === undefined && values.label !== undefined) {
    const label = requireLabel(values.label);
    return async (pool) => created(await createStoredKey(pool, label, { ...NO_RULES, ...rules }, nowSeconds()));
  }
  if (command === "list" && name === undefined && !hasOptions)
    return async (pool) => (await listStoredKeys(pool)).map(describe).join("\n") || "there are no keys";
  if (
    command === "limit" &&
    name !== undefined &&
    others.length === 0 &&
    Object.keys(rules).length > 0 &&
    values.label === undefined
  )
    return async (pool) => describe(await limitStoredKey(pool, name, rules));
  if (command === "revoke" && name !== undefined && others.length === 0 && !hasOptions)
    return async (pool) => describe(await revokeStoredKey(pool, name, nowSeconds()));
  throw new ConfigError(`the command is incomplete or unknown; usage:\n${USAGE}`);
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [, unknown] = /^Unknown option '([^']*)'/.exec(messageOf(error)) ?? [];
    // The message of Node.js goes on with advice that does not help here.
    const problem = unknown === undefined ? messageOf(error) : `the option ${unknown} is unknown`;
    throw new ConfigError(`${problem}; usage:\n${USAGE}`);
  }
}

/** The rules that are given. */
function rulesOf(values: ReturnType<typeof parsed>["values"]): Partial<StoredRules> {
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

await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : (databaseRefusal(error) ?? error));
  process.exitCode = 1;
});
