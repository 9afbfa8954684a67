import { setTimeout as sleep } from "node:timers/promises";
import type { Databases } from "../../core/database/database.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { type Stack, startStack } from "../support/stack.ts";

const BLOCKCHAIN_ID = "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM";
const JSON_RPC = { jsonrpc: "2.0", id: 1, method: "info.isBootstrapped", params: { chain: BLOCKCHAIN_ID } };
const REQUESTS: readonly { readonly name: string; readonly table: string; readonly path: string; body?: object }[] = [
  { name: "REST", table: "evm_blocks", path: "/v1/chains/760011/blocks" },
  { name: "JSON-RPC", table: "blockchains", path: "/ext/info", body: JSON_RPC },
];

let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
let database: Databases;
const stacks: Record<string, Stack> = {};
beforeAll(async () => {
  alpha = await indexedAlpha();
  database = openDatabase(alpha.url, 5, createLogger("silent"));
  // Only the caller can end these statements.
  database.pool.on("connect", (client) => void client.query("SET statement_timeout = 0"));
  const indexed = { database, config: alpha.config };
  stacks["Moraine's own server"] = await startStack(indexed);
  stacks["another Express app"] = await startStack({ ...indexed, expressPrefix: "/prefix" });
});
afterAll(async () => {
  for (const one of [...Object.values(stacks), database, alpha]) await one[Symbol.asyncDispose]();
});

/** Number of statements that wait for a lock. */
async function waiting(): Promise<number> {
  const text = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await alpha.pool.query(text)).rowCount ?? 0;
}

async function until(count: number): Promise<void> {
  while ((await waiting()) !== count) await sleep(5);
}

/** Waits until all connections are back in the pool, which they are shortly after PostgreSQL has ended the statements. */
async function untilIdle(): Promise<void> {
  while (database.pool.idleCount !== database.pool.totalCount) await sleep(5);
}

/** Locks a table until it is disposed. */
async function lock(table: string): Promise<AsyncDisposable> {
  const client = await alpha.pool.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return {
    async [Symbol.asyncDispose]() {
      await client.query("ROLLBACK");
      client.release();
    },
  };
}

describe.each(["Moraine's own server", "another Express app"])("a caller of %s who leaves", (server) => {
  it.each(REQUESTS)("ends the statement of $name", async ({ table, path, body }) => {
    await using _lock = await lock(table);
    const leave = new AbortController();
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const headers = { "content-type": "application/json" };
    const answer = stacks[server]?.get(path, { ...init, headers, signal: leave.signal });
    const failed = expect(answer).rejects.toThrow("abort");
    await until(1);
    leave.abort();
    await failed;
    await until(0);
    await untilIdle();
  });
});
