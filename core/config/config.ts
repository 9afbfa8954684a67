import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, quoted } from "../errors/errors.ts";
import { ExpectedError } from "../errors/expected-error.ts";
import { type Config, configSchema } from "./config-schema.ts";
import { SETTING_NAMES, settingValue } from "./setting-names.ts";
import { didYouMean, ruleOf, type SettingSchema, settingErrors } from "./settings/errors.ts";
import { parseSettingsJson } from "./settings/parse-json.ts";

/** The configuration cannot be used. The message has one line per error, with the setting, its value if it is no secret, and the rule. */
export class ConfigError extends ExpectedError {}

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
    SETTING_NAMES.find(({ path, variable }) => path === setting && env[variable])?.variable;
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

/** Variables with another name are not settings. Kubernetes, for example, sets `MORAINE_PORT` if a service is called `moraine`. */
function fromEnvironment(env: NodeJS.ProcessEnv): Values {
  return SETTING_NAMES.flatMap((name) => {
    const text = env[name.variable];
    return text ? [[name.path, settingValue(name, text)] as const] : [];
  });
}

/**
 * The settings with other values at some paths. If a setting has a text, number, boolean or list in place of an object, it keeps that
 * value, and the schema refuses it later.
 */
function merged(settings: Settings, values: Values): Settings {
  return values.reduce((result, [path, value]) => withValue(result, path.split("."), value), settings);
}

function withValue(settings: Settings, [name = "", ...inner]: readonly string[], value: unknown): Settings {
  if (inner.length === 0) return { ...settings, [name]: value };
  const outer = settings[name] ?? {};
  if (typeof outer !== "object" || Array.isArray(outer)) return settings;
  return { ...settings, [name]: withValue(outer as Settings, inner, value) };
}

/** Reads `--flag=value` and `--flag value`. */
function fromFlags(flags: readonly string[]): Source<Values> {
  const settings: [path: string, value: unknown][] = [];
  const errors: string[] = [];
  const rest = [...flags];
  for (let flag = rest.shift(); flag !== undefined; flag = rest.shift()) {
    const [name = "", ...parts] = flag.split("=");
    const setting = SETTING_NAMES.find(({ flag }) => flag === name);
    const value = setting && parts.length === 0 ? rest.shift() : parts.join("=");
    if (!setting) errors.push(unknownFlag(name));
    else if (value === undefined) errors.push(`flag ${name} has no value`);
    else settings.push([setting.path, settingValue(setting, value)]);
  }
  return { settings, errors };
}

/** An argument that is no flag is not printed: it may be a URL with a password. */
function unknownFlag(name: string): string {
  const names = SETTING_NAMES.map(({ flag }) => flag);
  const what = /^--[\w.-]+$/.test(name)
    ? `flag ${name} does not exist${didYouMean(name, names)}`
    : "an argument is no flag";
  return `${what}; docs/configuration.md lists the flags`;
}
