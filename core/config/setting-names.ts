import { z } from "zod";
import { configSchema } from "./config-schema.ts";
import { SUBGRAPHS, subgraphVariable } from "./subgraphs.ts";

/** A JSON Schema, as far as it is read here. */
interface Property {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Property>>;
}

/** A setting with a value of its own, and how it is named outside the file. */
export interface SettingName {
  /** Path in the file, such as `exports.publicUrl`. */
  readonly path: string;
  /** Environment variable, such as `EXPORTS_PUBLIC_URL`. */
  readonly variable: string;
  /** Flag of the command line, such as `--exports.public-url`. */
  readonly flag: string;
  readonly description: string;
  /** True if the value is a text. Other values are JSON: numbers, true and false, lists and objects. */
  readonly isText: boolean;
}

/** Variables and flags whose names do not follow from the path of the setting. */
const VARIABLES: Readonly<Record<string, string>> = {
  host: "HOST",
  port: "PORT",
  metricsPort: "METRICS_PORT",
  dataDirectory: "MORAINE_DATA",
  databaseUrl: "DATABASE_URL",
  databasePoolSize: "DATABASE_POOL_SIZE",
  logLevel: "LOG_LEVEL",
  ...Object.fromEntries(SUBGRAPHS.map(({ setting }) => [setting, subgraphVariable(setting)])),
  gatewayUrl: "GATEWAY_URL",
  "exports.publicUrl": "EXPORTS_PUBLIC_URL",
  "signatures.serviceUrl": "SIGNATURES_SERVICE_URL",
  "observability.host": "OBSERVABILITY_HOST",
  "observability.port": "OBSERVABILITY_PORT",
  "observability.tracesUrl": "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
};
/** `--health-check-frequency` is a flag of avalanchego. */
const FLAGS: Readonly<Record<string, string>> = { "nodeInterface.healthCheckFrequency": "--health-check-frequency" };

/** `maxBlocks` as `max-blocks`. */
const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const variableOf = (path: string): string => `MORAINE_${dashed(path).replace(/[.-]/g, "_").toUpperCase()}`;

/** The names of all settings that have a value of their own, in the order of the schema. */
export const SETTING_NAMES: readonly SettingName[] = namesIn(
  "",
  z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" }) as Property,
);

function namesIn(prefix: string, { properties = {} }: Property): SettingName[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    if (property.properties) return namesIn(`${path}.`, property);
    return {
      path,
      variable: VARIABLES[path] ?? variableOf(path),
      flag: FLAGS[path] ?? `--${dashed(path)}`,
      description: property.description ?? "",
      isText: property.type === "string",
    };
  });
}

/** The value that a text of a variable or a flag stands for. A text that is no JSON stays as it is, and the schema refuses it. */
export function settingValue({ isText }: SettingName, text: string): unknown {
  if (isText) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
