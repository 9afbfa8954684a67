import { distance } from "fastest-levenshtein";
import type { z } from "zod";
import { quoted } from "../../errors/errors.ts";

/** The members of a JSON Schema that are read here. */
export interface SettingSchema {
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly items?: SettingSchema;
  /** True for settings that are or may contain a secret. */
  readonly writeOnly?: boolean;
}

interface ErrorDeps {
  /** The settings that were checked. */
  readonly input: unknown;
  readonly schema: SettingSchema;
  /** Name of the environment variable that has set the setting with this path; undefined if none has. */
  variableOf(setting: string): string | undefined;
}

/** One line per error, each with the setting, its value unless it may contain a secret, and the rule. */
export function settingErrors(issues: readonly z.core.$ZodIssue[], deps: ErrorDeps): string[] {
  return issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => unknownSetting(issue.path, key, deps.schema))
      : wrongSetting(issue, deps),
  );
}

function unknownSetting(path: readonly PropertyKey[], key: string, schema: SettingSchema): string {
  const known = Object.keys(schemaAt(schema, path)?.properties ?? {});
  const name = [...path, key].map(String).join(".");
  return `setting ${name} does not exist${didYouMean(key, known)}; docs/configuration.md lists all settings`;
}

function wrongSetting(issue: z.core.$ZodIssue, { input, schema, variableOf }: ErrorDeps): string {
  const name = issue.path.map(String).join(".") || "configuration";
  const variable = variableOf(name);
  const setting = variable ? `setting ${name} (environment variable ${variable})` : `setting ${name}`;
  const value = issue.path.reduce<unknown>((at, key) => Object(at)[key], input);
  const rule = issue.code === "invalid_value" ? issue.message + didYouMean(value, issue.values) : issue.message;
  if (value === undefined) return `${setting} is missing: ${rule}`;
  const isLong = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  return isLong || mayBeSecret(schema, issue.path) ? `${setting} ${rule}` : `${setting} is ${quoted(value)}: ${rule}`;
}

/** True if the setting is a secret or a part of one, or if its members may be secrets: any value may be given in their place. */
function mayBeSecret(schema: SettingSchema, path: readonly PropertyKey[]): boolean {
  const isPartOfSecret = path.some((_, at) => schemaAt(schema, path.slice(0, at))?.writeOnly);
  const setting = schemaAt(schema, path);
  return isPartOfSecret || (setting !== undefined && hasSecret(setting));
}

function hasSecret({ writeOnly = false, properties = {}, items }: SettingSchema): boolean {
  return writeOnly || Object.values(properties).some(hasSecret) || (items !== undefined && hasSecret(items));
}

function schemaAt(schema: SettingSchema, path: readonly PropertyKey[]): SettingSchema | undefined {
  return path.reduce<SettingSchema | undefined>(
    (at, key) => (typeof key === "number" ? at?.items : at?.properties?.[String(key)]),
    schema,
  );
}

/** ` (did you mean "…"?)` if one of the words is similar to the given one, else an empty text. */
export function didYouMean(given: unknown, words: readonly unknown[]): string {
  if (typeof given !== "string") return "";
  const distances = words.map((word) => ({
    word,
    edits: distance(given.toLowerCase(), String(word).toLowerCase()),
  }));
  const [closest] = distances.sort((a, b) => a.edits - b.edits);
  const isClose = closest !== undefined && closest.edits <= Math.max(2, Math.floor(given.length / 3));
  return isClose && closest.edits < given.length ? ` (did you mean ${quoted(closest.word)}?)` : "";
}

/** The rule that a value breaks, in words, for the checks of Zod that have no message of their own. */
export function ruleOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(quoted).join(", ")}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "too_small":
      return issue.origin === "number" ? `must be at least ${issue.minimum}` : "must not be empty";
    default:
      return undefined;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};
