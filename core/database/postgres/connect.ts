import pg from "pg";
import { connectionSettings } from "../../config/connection-settings.ts";
import { PatientPool } from "./patient-pool.ts";
import { pinSession, type SessionSettings } from "./session-settings.ts";

export type SessionOptions = Pick<
  pg.ClientConfig,
  "application_name" | "connectionTimeoutMillis" | "keepAlive" | "query_timeout" | "pipeline"
> &
  SessionSettings;

export type PoolOptions = Omit<SessionOptions, "pipeline"> &
  Pick<pg.PoolConfig, "Client" | "idleTimeoutMillis" | "max">;

const urls = new WeakMap<pg.Pool, string>();

/**
 * Opens a session of its own. All sessions of all processes are opened here or by a pool of `createPool`, so that they have the settings
 * that Moraine needs, whatever an operator has set for the role, the database or the URL. The loss of the connection fails the statement
 * that runs and the next ones; who needs to know at once listens to `error` and `end`.
 */
export async function openSession(
  url: string,
  { statementTimeoutMs, settings, ...options }: SessionOptions = {},
): Promise<pg.Client> {
  const { connection, schema } = connectionSettings(url);
  const client = new pg.Client({ ...options, ...connection });
  // Without a listener, the loss of an idle connection would end the process.
  client.on("error", () => {});
  await client.connect();
  try {
    await pinSession(client, schema, { statementTimeoutMs, settings });
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Opens such a session for a task, and ends it. */
export async function withSession<Result>(
  url: string,
  task: (session: pg.Client) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> {
  const session = await openSession(url, options);
  try {
    return await task(session);
  } finally {
    await session.end();
  }
}

/**
 * A pool of such sessions. It connects when a session is needed. If the server has no free connection, it tries again until
 * `connectionTimeoutMillis`. The caller listens to `error`.
 */
export function createPool(url: string, { statementTimeoutMs, settings, ...options }: PoolOptions): pg.Pool {
  const { connection, schema } = connectionSettings(url);
  const pool = new PatientPool({
    ...options,
    ...connection,
    onConnect: (client) => pinSession(client, schema, { statementTimeoutMs, settings }),
  });
  urls.set(pool, url);
  return pool;
}

/** The URL of a pool of `createPool`. */
export function urlOf(pool: pg.Pool): string {
  const url = urls.get(pool);
  if (url === undefined) throw new Error("the pool was not made by createPool");
  return url;
}
