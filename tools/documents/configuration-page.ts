import { z } from "zod";
import { configSchema } from "../../core/config/config-schema.ts";
import { NEEDS_START } from "../../core/config/reloadable.ts";
import { SETTING_NAMES } from "../../core/config/setting-names.ts";

interface Property {
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  readonly items?: Property;
  readonly anyOf?: readonly Property[];
}

/** Content of docs/configuration.md: every setting with its rule, default and meaning. */
export function configurationPage(): string {
  const schema = z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" }) as Property;
  return [
    "# Configuration",
    "",
    "Generated from `core/config/config-schema.ts` by `npm run generate`. Settings are read from a JSON file: `moraine.json` in the",
    "working directory, or the file that `MORAINE_CONFIG` names. Each setting also has an environment variable, which overrides the",
    "file, and a flag, which overrides both: `moraine start --port 5000 --indexing.max-concurrency=8`. The flag is the path of the",
    "setting, with dashes in place of upper case letters; only `nodeInterface.healthCheckFrequency` has the name that a node gives to it,",
    "`--health-check-frequency`. In variables and flags, numbers, `true` and `false`, lists and objects are written as JSON:",
    "`MORAINE_EVM_CHAINS='[{\"chainId\":43114, …}]'`. Other users of the machine can see flags, so they are no place for secrets.",
    "",
    "If settings are wrong, the start ends with one line per error, which names the setting, the rule and the value. Values of URLs,",
    "headers, keys and passwords are not printed. `moraine start` also compares ids in the settings with the answers of the nodes.",
    "",
    "`moraine reload`, or SIGHUP to a service that does not run on a terminal, reads the file again while the service answers requests. If the",
    "settings cannot be used, the earlier ones stay, and the log and `moraine reload`, which ends with code 1, say why. Processes of the indexer, of exports and of signatures start again",
    "if they read a setting that has changed. This needs the part `api`; other parts, and the demo, read settings only at their start. A gateway",
    "in a process of its own reads the setting `graph` again at SIGHUP. These",
    `settings need a start: ${NEEDS_START.map((name) => `\`${name}\``).join(", ")}.`,
    "",
    ...tablesOf("", schema),
  ].join("\n");
}

function tablesOf(prefix: string, schema: Property): string[] {
  const entries = Object.entries(schema.properties ?? {});
  const rows = entries.map(([name, property]) => {
    const standard = schema.required?.includes(name) ? "**must be set**" : defaultOf(property);
    const cells = [
      `\`${prefix}${name}\``,
      variableOf(`${prefix}${name}`),
      ruleOf(property),
      standard,
      property.description ?? "",
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  const nested = entries.flatMap(([name, property]) => {
    const inner = property.items ?? property;
    const path = `${prefix}${name}${property.items ? "[]" : ""}.`;
    return inner.properties ? [`## ${path.slice(0, -1)}`, "", ...tablesOf(path, inner)] : [];
  });
  return ["| Setting | Variable | Rule | Default | Meaning |", "|---|---|---|---|---|", ...rows, "", ...nested];
}

/** Empty for a setting that consists of others, and for members of lists. */
function variableOf(path: string): string {
  const found = SETTING_NAMES.find((name) => name.path === path);
  return found ? `\`${found.variable}\`` : "";
}

function ruleOf({ type, enum: values, minimum, maximum, format, items, anyOf }: Property): string {
  if (anyOf) return anyOf.map(ruleOf).join(", ");
  if (values) return wordsOf(values);
  const safe = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
  const bounds = [
    safe(minimum) === undefined ? "" : `from ${minimum}`,
    safe(maximum) === undefined ? "" : `to ${maximum}`,
  ].filter(Boolean);
  const kind =
    type === "array"
      ? `list of ${items?.enum ? wordsOf(items.enum) : (items?.type ?? "values")}`
      : format === "uri"
        ? "URL"
        : (type ?? "any");
  return [kind, ...bounds].join(" ");
}

const wordsOf = (values: readonly unknown[]): string => values.map((value) => `\`${String(value)}\``).join(", ");

function defaultOf({ default: value, properties }: Property): string {
  if (value === undefined) return "none";
  return properties ? "see below" : `\`${JSON.stringify(value)}\``;
}
