import type { ExportRequest } from "../../core/database/operations.ts";
import type { Placement } from "../../core/database/placement.ts";
import type { RowClients } from "../row-clients.ts";
import { backendPid, type Connection, openConnection } from "./connection.ts";

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** The connections in whose transactions an attempt reads. */
export interface Snapshot extends AsyncDisposable {
  readonly client: RowClients;
  /** Aborted when one of the connections is lost. */
  readonly lost: AbortSignal;
}

/** What is read, and where. */
interface SnapshotOptions {
  readonly placement: Placement;
  readonly request: ExportRequest;
  readonly operationId: string;
  /** A connection to the main database. */
  readonly session: Connection;
}

/**
 * Opens the connections in whose transactions an attempt reads: to the databases of the chains of its request, and to the main database. Each
 * transaction sees its database as it is at the first statement. Disposing the snapshot cancels its running statements.
 */
export async function openSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const { placement, request } = options;
  const urls = new Set([placement.main, ...urlsOf(request, placement)]);
  const opened = new Map<string, Connection>();
  const dispose = async () => {
    await Promise.all([...opened.values()].map((one) => one[Symbol.asyncDispose]()));
  };
  try {
    for (const url of urls) opened.set(url, await openTransaction(url, options));
  } catch (error) {
    await dispose();
    throw error;
  }
  const clientOf = (url: string) => (opened.get(url) as Connection).client;
  const main = clientOf(placement.main);
  const cells = {
    main,
    evm: (chainId: number) => clientOf(placement.evm(chainId)),
    primary: (networkId: number) => clientOf(placement.primary(networkId)),
  };
  return {
    client: opened.size === 1 ? main : cells,
    lost: AbortSignal.any([...opened.values()].map(({ lost }) => lost)),
    [Symbol.asyncDispose]: dispose,
  };
}

function urlsOf(request: ExportRequest, placement: Placement): string[] {
  return "chainIds" in request ? request.chainIds.map(placement.evm) : [placement.primary(request.networkId)];
}

async function openTransaction(url: string, { placement, operationId, session }: SnapshotOptions): Promise<Connection> {
  const name = operationId.slice(0, 8);
  const connection = await openConnection(url, `moraine export rows ${name}`);
  try {
    const pid = await backendPid(connection.client);
    await connection.client.query(BEGIN);
    // Counting millions of rows would otherwise take all cores, and requests of the API would wait for them.
    await connection.client.query("SET LOCAL max_parallel_workers_per_gather = 0");
    return {
      ...connection,
      async [Symbol.asyncDispose]() {
        if (!connection.lost.aborted) await cancel(pid, url === placement.main ? session : null, url, name);
        await connection[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

/** Cancels the statement of a connection. The session of the job is used for those in its database. A failure is ignored. */
async function cancel(pid: number, session: Connection | null, url: string, name: string): Promise<void> {
  const text = "SELECT pg_cancel_backend($1::int)";
  if (session) {
    if (!session.lost.aborted) await session.client.query(text, [pid]).catch(() => {});
    return;
  }
  try {
    await using other = await openConnection(url, `moraine export ${name}`);
    await other.client.query(text, [pid]);
  } catch {
    // The database is not available, so the statement has ended or ends soon.
  }
}
