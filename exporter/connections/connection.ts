import type pg from "pg";
import { openSession } from "../../core/database/postgres/connect.ts";
import { SERVER_KEEPALIVES } from "../../core/database/postgres/session-settings.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/** A database connection that belongs to one job. */
export interface Connection extends AsyncDisposable {
  readonly client: pg.Client;
  /** Aborted with `ConnectionLost` when the connection is lost or closed. */
  readonly lost: AbortSignal;
}

/** The database connection of a job is lost. Another attempt can succeed. */
export class ConnectionLost extends Error {}

/** Opens a connection. Its name is shown in `pg_stat_activity`. */
export async function openConnection(url: string, name: string): Promise<Connection> {
  const client = await openSession(url, {
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    settings: SERVER_KEEPALIVES,
  });
  const lost = new AbortController();
  const lose = (cause?: Error) => lost.abort(new ConnectionLost("the database connection was lost", { cause }));
  client.on("error", lose);
  client.on("end", () => lose());
  return {
    client,
    lost: lost.signal,
    // If the connection is lost already, `end` rejects.
    [Symbol.asyncDispose]: () => client.end().catch(() => {}),
  };
}

/** Process id of the PostgreSQL backend that serves a connection. */
export async function backendPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid ?? 0;
}
