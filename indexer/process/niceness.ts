import type { Config } from "../../core/config/config-schema.ts";

/** How much lower the priority of the indexer is than that of the API, in steps of niceness. */
export interface Niceness {
  /** Of its processes. */
  readonly process: number;
  /** Of its PostgreSQL sessions. Must be 0 unless the server runs on this machine. */
  readonly sessions: number;
}

/** The niceness of an indexer beside an API, by the settings as they were read: without `databaseUrl`, PostgreSQL is embedded. */
export function nicenessOf({
  databaseUrl,
  indexing: { niceness },
}: Pick<Config, "databaseUrl" | "indexing">): Niceness {
  return { process: niceness, sessions: databaseUrl === undefined ? niceness : 0 };
}
