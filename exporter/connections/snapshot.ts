import { backendPid, type Connection, openConnection } from "./connection.ts";

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/**
 * Opens the connection in whose transaction an attempt reads. The transaction sees the database as it is at the first statement.
 * Disposing the connection cancels its running statement.
 */
export async function openSnapshot(
  { databaseUrl }: { readonly databaseUrl: string },
  operationId: string,
  session: Connection,
): Promise<Connection> {
  const connection = await openConnection(databaseUrl, `moraine export rows ${operationId.slice(0, 8)}`);
  try {
    const pid = await backendPid(connection.client);
    await connection.client.query(BEGIN);
    // Counting millions of rows would otherwise take all cores, and requests of the API would wait for them.
    await connection.client.query("SET LOCAL max_parallel_workers_per_gather = 0");
    return {
      ...connection,
      async [Symbol.asyncDispose]() {
        if (!connection.lost.aborted && !session.lost.aborted)
          await session.client.query("SELECT pg_cancel_backend($1::int)", [pid]).catch(() => {});
        await connection[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}
