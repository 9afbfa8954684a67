import { isDeepStrictEqual } from "node:util";
import type { Config } from "./config-schema.ts";

/** Settings that take effect only at a start: ports stay open and the database stays the same when settings are read again. */
export const NEEDS_START = [
  "api",
  "host",
  "port",
  "metricsPort",
  "connectionsPerAddress",
  "unreadBytes",
  "shutdown",
  "databaseUrl",
  "databaseReadUrls",
  "databasePoolSize",
  "dataDirectory",
  "demo",
  "observability",
] as const satisfies readonly (keyof Config)[];

/** Settings that only the API reads, so that the other processes go on when they change. */
const READ_BY_API = [
  "admission",
  "apiKeys",
  "bodyLimitBytes",
  "computeUnitsPerDay",
  "computeUnitsPerMinute",
  "dialect",
  "graph",
  "graphql",
  "hostedPrefix",
  "keyHeaders",
  "keyRequirements",
  "methodSignatures",
  "metricsComputeUnitsPerDay",
  "metricsComputeUnitsPerMinute",
  "nodeInterface",
  "proxyHops",
  "subscriptions",
  "trustProxy",
] as const satisfies readonly (keyof Config)[];

/** Names of the settings that differ. */
export function changedSettings(before: Config, after: Config): (keyof Config)[] {
  const names = Object.keys({ ...before, ...after }) as (keyof Config)[];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** True if only the API reads the settings that differ. */
export function isReadByApiOnly(before: Config, after: Config): boolean {
  return changedSettings(before, after).every((name) => (READ_BY_API as readonly string[]).includes(name));
}
