import pg from "pg";
import { messageOf } from "../../../core/errors.ts";
import { type RebuildSettings, rebuildAfterCatchUp } from "./rebuild-after-catch-up.ts";
import { vacuumReplacedRows } from "./vacuum.ts";

/** Keeps the tables of a chain small, in the background. */
export interface Maintenance extends AsyncDisposable {
  /** Tells that a batch of a chain that is far behind is written. Returns at once. */
  afterBatch(): void;
  /** Tells that the rows have reached the node's head. May be called any number of times. Returns at once. */
  atHead(): void;
}

export interface MaintenanceDeps extends Omit<RebuildSettings, "signal"> {
  readonly url: string;
}

type Task = (client: pg.Client) => Promise<void>;

/**
 * Has a database session of its own, which is opened for the first task. A task that is due while another one runs is left out. A task
 * that fails is logged, and neither stops the indexing nor is repeated at once. Disposing it cancels the statement that runs.
 */
export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const { url, chainId, logger } = deps;
  const stop = new AbortController();
  let client: pg.Client | null = null;
  let running: Promise<void> | null = null;
  /** True at the start, too: an earlier process may have been interrupted. */
  let mayRebuild = true;

  const run = async (task: Task): Promise<void> => {
    try {
      client ??= await openSession(url, chainId);
      if (!stop.signal.aborted) await task(client);
    } catch (error) {
      if (stop.signal.aborted) return;
      logger.warn({ chainId, err: error }, `the maintenance of the tables failed: ${messageOf(error)}`);
      await endSession(client);
      client = null;
    } finally {
      running = null;
    }
  };
  const start = (task: Task): void => {
    if (!stop.signal.aborted) running ??= run(task);
  };

  return {
    afterBatch() {
      mayRebuild = true;
      start((session) => vacuumReplacedRows(session, chainId));
    },
    atHead() {
      if (!mayRebuild || running) return;
      mayRebuild = false;
      start((session) => rebuildAfterCatchUp(session, { ...deps, signal: stop.signal }));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      if (running && client) await cancelStatement(url, client);
      await running;
      await endSession(client);
    },
  };
}

async function openSession(url: string, chainId: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: `moraine maintenance ${chainId}` });
  // Without a listener, the loss of an idle connection would end the process. The next statement fails.
  client.on("error", () => {});
  await client.connect();
  // A role may limit the time of statements. These take as long as the tables are large.
  await client.query("SET statement_timeout = 0");
  return client;
}

/** Ignores a failure: the session may be lost already. */
async function endSession(client: pg.Client | null): Promise<void> {
  await client?.end().catch(() => {});
}

/** PostgreSQL would otherwise end the statement of a closed connection only when it is complete. */
async function cancelStatement(url: string, client: pg.Client): Promise<void> {
  const { processID } = client as pg.Client & { readonly processID: number };
  const other = new pg.Client({ connectionString: url });
  try {
    await other.connect();
    await other.query("SELECT pg_cancel_backend($1)", [processID]);
  } catch {
    // The database is not available, so the statement has ended or ends soon.
  } finally {
    await endSession(other);
  }
}
