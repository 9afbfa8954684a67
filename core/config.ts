import { existsSync, readFileSync } from "node:fs";
import { type Config, configSchema } from "./config-schema.ts";
import { messageOf, quoted } from "./errors.ts";

/** Environment variables and the settings that they set; a variable wins over the file. */
export const ENVIRONMENT = {
  HOST: "host",
  PORT: "port",
  METRICS_PORT: "metricsPort",
  MORAINE_DATA: "dataDirectory",
  DATABASE_URL: "databaseUrl",
  DATABASE_POOL_SIZE: "databasePoolSize",
  MORAINE_DEMO: "demo",
  LOG_LEVEL: "logLevel",
  MORAINE_DIALECT: "dialect",
  EVM_SUBGRAPH_URL: "evmSubgraphUrl",
  PRIMARY_NETWORK_SUBGRAPH_URL: "primaryNetworkSubgraphUrl",
  NODE_SUBGRAPH_URL: "nodeSubgraphUrl",
  GATEWAY_URL: "gatewayUrl",
} as const satisfies Record<string, keyof Config>;

const NUMBERS: ReadonlySet<string> = new Set(["port", "metricsPort", "databasePoolSize"]);

/** Flags of the command line and the settings of `nodeInterface` that they set; a flag wins over all else. */
const FLAGS: Readonly<Record<string, keyof Config["nodeInterface"]>> = {
  "--health-check-frequency": "healthCheckFrequency",
};

/** A wrong setting. The message is one line that names the setting, the value and the rule. */
export class ConfigError extends Error {}

/**
 * Reads the configuration: the JSON file named by `MORAINE_CONFIG` (default `moraine.json` where it exists), then the
 * environment, then flags. The only place that does. Throws `ConfigError` on the first wrong setting.
 */
export function loadConfig(env: NodeJS.ProcessEnv, flags: readonly string[] = []): Config {
  const read: Record<string, unknown> = { ...fromFile(env["MORAINE_CONFIG"]), ...fromEnvironment(env) };
  const flagged = fromFlags(flags);
  const input = isFlagged(flagged)
    ? { ...read, nodeInterface: { ...Object(read["nodeInterface"]), ...flagged } }
    : read;
  const parsed = configSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (!issue) throw new ConfigError("the configuration is wrong");
  if (issue.code === "unrecognized_keys") {
    const name = [...issue.path, issue.keys[0]].map(String).join(".");
    throw new ConfigError(`setting ${name} is not a setting: docs/configuration.md lists them`);
  }
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
  if (value === undefined) throw new ConfigError(`${nameOf(issue.path, env)} is missing: ${ruleOf(issue.message)}`);
  throw new ConfigError(`${nameOf(issue.path, env)} is ${withoutPassword(quoted(value))}: ${issue.message}`);
}

const withoutPassword = (text: string): string => text.replace(/:\/\/[^@/\s"]*@/g, "://…@");

/** Without what it says of a value that is not there. */
function ruleOf(message: string): string {
  return message.replace(/^Invalid (?:input|option): /, "must be given, ").replace(/, received undefined$/, "");
}

function nameOf(path: readonly PropertyKey[], env: NodeJS.ProcessEnv): string {
  const setting = path.map(String).join(".") || "configuration";
  const variable = Object.entries(ENVIRONMENT).find(([name, key]) => key === path[0] && env[name])?.[0];
  return variable ? `setting ${setting} (environment variable ${variable})` : `setting ${setting}`;
}

function fromFile(named: string | undefined): Record<string, unknown> {
  const path = named ?? "moraine.json";
  if (!named && !existsSync(path)) return {};
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof content === "object" && content !== null && !Array.isArray(content)) return { ...content };
  } catch (error) {
    throw new ConfigError(
      `setting MORAINE_CONFIG is ${quoted(path)}: must be a readable JSON file: ${messageOf(error)}`,
    );
  }
  throw new ConfigError(`setting MORAINE_CONFIG is ${quoted(path)}: must hold a JSON object`);
}

function fromEnvironment(env: NodeJS.ProcessEnv): Record<string, unknown> {
  const given = Object.entries(ENVIRONMENT).filter(([name]) => env[name]);
  return Object.fromEntries(given.map(([name, key]) => [key, parsed(key, env[name] as string)]));
}

const isFlagged = (settings: object): boolean => Object.keys(settings).length > 0;

/** `--flag=value` and `--flag value`. */
function fromFlags(flags: readonly string[]): Record<string, string> {
  const settings: Record<string, string> = {};
  const rest = [...flags];
  for (let flag = rest.shift(); flag !== undefined; flag = rest.shift()) {
    const [name = "", ...value] = flag.split("=");
    const setting = FLAGS[name];
    if (!setting) throw new ConfigError(`${quoted(flag)} is no flag, flags: ${Object.keys(FLAGS).join(", ")}`);
    const given = value.length > 0 ? value.join("=") : rest.shift();
    if (given === undefined) throw new ConfigError(`flag ${name} is without a value`);
    settings[setting] = given;
  }
  return settings;
}

function parsed(key: string, text: string): unknown {
  return NUMBERS.has(key) && /^-?\d+$/.test(text) ? Number(text) : text;
}
