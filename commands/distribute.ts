import { ConfigError, loadConfig } from "../core/config/config.ts";
import { migrate } from "../core/database/migrate.ts";
import { withSession } from "../core/database/postgres/connect.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { isolate, type Worker, workersOf } from "../core/database/workers.ts";
import { quoted } from "../core/errors/errors.ts";
import { endedByUser } from "./ended-by-user.ts";
import type { Outcome } from "./program/command.ts";

interface Isolated {
  /** Chain or network that gets shards of its own. Undefined: none. */
  readonly isolate?: string | undefined;
  /** `host:port` of the worker that gets them. */
  readonly worker?: string | undefined;
}

/** `moraine distribute`: creates the tables if there are none, distributes those that are not distributed, and prints where chains are. */
export async function distributeDatabase(
  { isolate: id, worker }: Isolated,
  flags: readonly string[],
): Promise<Outcome> {
  if ((id === undefined) !== (worker === undefined)) throw new ConfigError("give --isolate and --worker together");
  if (id !== undefined && !/^\d{1,15}$/.test(id)) throw new ConfigError(`--isolate is ${quoted(id)}: must be a number`);
  const { databaseUrl } = loadConfig(process.env, flags);
  if (databaseUrl === undefined)
    throw new ConfigError(
      "the embedded database cannot be distributed: name a coordinator of Citus by the setting databaseUrl",
    );
  const url = await usableDatabase(databaseUrl);
  const signal = endedByUser("interrupted: run the command again, which continues");
  await migrate(url, (line) => console.error(line), signal, { distributes: true });
  return withSession(url, async (session) => {
    if (id !== undefined && worker !== undefined) await isolate(session, id, worker);
    const workers = await workersOf(session);
    return { text: workers.map(lineOf).join("\n"), data: { workers } };
  });
}

function lineOf({ name, bytes, chains, networks }: Worker): string {
  const listed = (what: string, ids: readonly string[]) => (ids.length === 0 ? [] : [`${what} ${ids.join(", ")}`]);
  return [
    `worker ${name}: ${Math.ceil(bytes / 1e6)} MB`,
    ...listed("chains", chains),
    ...listed("networks", networks),
  ].join("; ");
}
