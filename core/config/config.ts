import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, quoted } from "../errors/errors.ts";
import { type Config, configSchema } from "./config-schema.ts";
import { didYouMean, ruleOf, type SettingSchema, settingErrors } from "./settings/errors.ts";
import { parseSettingsJson } from "./settings/parse-json.ts";
import { SUBGRAPHS, subgraphVariable } from "./subgraphs.ts";

/** Environment variables and the paths of the settings that they set. A variable takes precedence over the file. */
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
  ...Object.fromEntries(SUBGRAPHS.map(({ setting }) => [subgraphVariable(setting), setting])),
  GATEWAY_URL: "gatewayUrl",
  EXPORTS_PUBLIC_URL: "exports.publicUrl",
  SIGNATURES_SERVICE_URL: "signatures.serviceUrl",
  OBSERVABILITY_HOST: "observability.host",
  OBSERVABILITY_PORT: "observability.port",
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "observability.tracesUrl",
} as const satisfies Record<
  string,
  | keyof Config
  | `exports.${keyof Config["exports"]}`
  | `signatures.${keyof Config["signatures"]}`
  | `observability.${keyof Config["observability"]}`
>;

const NUMBERS: ReadonlySet<string> = new Set(["port", "metricsPort", "databasePoolSize", "observability.port"]);

/** Command line flags and the settings of `nodeInterface` that they set. A flag takes precedence over everything else. */
const FLAGS: Readonly<Record<string, keyof Config["nodeInterface"]>> = {
  "--health-check-frequency": "healthCheckFrequency",
};

/** The configuration cannot be used. The message has one line per error, with the setting, its value if it is no secret, and the rule. */
export class ConfigError extends Error {}

type Settings = Readonly<Record<string, unknown>>;

/** Paths of settings, such as `exports.publicUrl`, with their values. */
type Values = readonly (readonly [path: string, value: unknown])[];

/** Settings from one source, and the errors in the source itself, such as invalid JSON. */
interface Source<Content> {
  readonly settings: Content;
  readonly errors: readonly string[];
}

/**
 * Reads the configuration: the JSON file that `MORAINE_CONFIG` names (default: `moraine.json`, if it exists), then
 * environment variables, then flags. Throws `ConfigError` with all errors.
 */
export function loadConfig(env: NodeJS.ProcessEnv, flags: readonly string[] = []): Config {
  const file = fromFile(env["MORAINE_CONFIG"]);
  const flagged = fromFlags(flags);
  const input = merged(file.settings, [...fromEnvironment(env), ...flagged.settings]);
  const parsed = configSchema.safeParse(input, { error: ruleOf });
  const schema = () => z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" }) as SettingSchema;
  const variableOf = (setting: string) =>
    Object.entries(ENVIRONMENT).find(([name, key]) => key === setting && env[name])?.[0];
  const errors = [
    ...file.errors,
    ...flagged.errors,
    ...(parsed.success ? [] : settingErrors(parsed.error.issues, { input, schema: schema(), variableOf })),
  ];
  if (parsed.success && errors.length === 0) return parsed.data;
  throw new ConfigError(errors.join("\n"));
}

function fromFile(named: string | undefined): Source<Settings> {
  const path = named ?? "moraine.json";
  const source = named ? "environment variable MORAINE_CONFIG is" : "configuration file";
  if (!named && !existsSync(path)) return { settings: {}, errors: [] };
  const wrong = (rule: string): Source<Settings> => ({
    settings: {},
    errors: [`${source} ${quoted(path)}: ${rule}`],
  });
  try {
    const content = parseSettingsJson(readFileSync(path, "utf8"));
    if (typeof content === "object" && content !== null && !Array.isArray(content))
      return { settings: { ...content }, errors: [] };
    return wrong("the file must contain a JSON object");
  } catch (error) {
    return wrong(`must be a readable JSON file: ${messageOf(error)}`);
  }
}

function fromEnvironment(env: NodeJS.ProcessEnv): Values {
  const given = Object.entries(ENVIRONMENT).filter(([name]) => env[name]);
  return given.map(([name, path]) => [path, parsedVariable(path, env[name] as string)]);
}

/**
 * The settings with other values at some paths. If a setting has a text, number, boolean or list in place of an object, it keeps that
 * value, and the schema refuses it later.
 */
function merged(settings: Settings, values: Values): Settings {
  const result: Record<string, unknown> = { ...settings };
  for (const [path, value] of values) {
    const [name = "", member] = path.split(".");
    const outer = result[name] ?? {};
    if (member === undefined) result[name] = value;
    else if (typeof outer === "object" && !Array.isArray(outer)) result[name] = { ...outer, [member]: value };
  }
  return result;
}

function parsedVariable(setting: string, text: string): unknown {
  return NUMBERS.has(setting) && /^-?\d+$/.test(text) ? Number(text) : text;
}

/** Reads `--flag=value` and `--flag value`. */
function fromFlags(flags: readonly string[]): Source<Values> {
  const settings: [path: string, value: string][] = [];
  const errors: string[] = [];
  const rest = [...flags];
  for (let flag = rest.shift(); flag !== undefined; flag = rest.shift()) {
    const [name = "", ...parts] = flag.split("=");
    const setting = FLAGS[name];
    const value = setting && parts.length === 0 ? rest.shift() : parts.join("=");
    if (!setting) errors.push(unknownFlag(name));
    else if (value === undefined) errors.push(`flag ${name} has no value`);
    else settings.push([`nodeInterface.${setting}`, value]);
  }
  return { settings, errors };
}

/** An argument that is no flag is not printed: it may be a URL with a password. */
function unknownFlag(name: string): string {
  const names = Object.keys(FLAGS);
  const what = /^--[\w-]+$/.test(name)
    ? `flag ${name} does not exist${didYouMean(name, names)}`
    : "an argument is no flag";
  return `${what}; the flags are ${names.join(", ")}`;
}
