import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import WebSocket from "ws";
import { OPERATIONS_CHANNEL } from "../../core/database/operations.ts";
import { CHAIN_ID, inSession, type Subject } from "./database.ts";
import { startServer } from "./start-server.ts";
import type { Line } from "./table.ts";

const WATCHERS = 10_000;
/** Connections that are opened at the same time. */
const AT_ONCE = 200;
const CHANGES = 8;
const END_TIMEOUT_MS = 60_000;

export interface WatcherFigures {
  readonly watchers: number;
  /** How many of them received the last state. */
  readonly reached: number;
  /** Memory of the server per watcher. */
  readonly bytesPerWatcher: number;
  /** Time from the change of the status in the database to its arrival at the last watcher. */
  readonly endMs: number;
}

/** Watches one operation over many WebSocket connections to one server, while its row changes as a worker changes it. */
export async function measureWatchers(url: string, { evmChains }: Subject): Promise<WatcherFigures> {
  await using server = await startServer({ kind: "moraine", url, evmChains });
  const operationId = randomUUID();
  await inSession(url, (client) => client.query(INSERT, [operationId, REQUEST]));
  const change = (text: string) => inSession(url, (client) => client.query(notifying(text), [operationId]));
  const before = await server.memoryBytes();
  const watchers: Watcher[] = [];
  while (watchers.length < WATCHERS)
    watchers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => watch(server.url, operationId)))));
  const bytesPerWatcher = ((await server.memoryBytes()) - before) / WATCHERS;
  for (let round = 0; round < CHANGES; round++) {
    await change("row_count = row_count + 1");
    await sleep(300);
  }
  const endedAt = performance.now();
  await change("operation_status = 'FAILED', message = 'the end', ended_at = 0, expires_at = 0");
  const arrivals = await Promise.all(watchers.map(({ ended }) => Promise.race([ended, sleep(END_TIMEOUT_MS, null)])));
  for (const { socket } of watchers) socket.terminate();
  const reached = arrivals.filter((arrival) => arrival !== null);
  return { watchers: WATCHERS, reached: reached.length, bytesPerWatcher, endMs: Math.max(...reached) - endedAt };
}

const REQUEST = JSON.stringify({
  type: "TRANSACTION_EXPORT_EVM",
  firstDate: null,
  lastDate: null,
  addresses: [`0x${"00".repeat(20)}`],
  chainIds: [CHAIN_ID],
  compression: "NONE",
});

const INSERT = `INSERT INTO operations (operation_id, owner, operation_type, operation_status, request, request_hash,
    created_at, updated_at)
  VALUES ($1, '', 'TRANSACTION_EXPORT_EVM', 'RUNNING', $2, sha256(convert_to($2, 'UTF8')), 0, 0)`;

const notifying = (change: string): string => `WITH changed AS (
    UPDATE operations SET ${change}, version = version + 1 WHERE operation_id = $1 RETURNING operation_id, owner)
  SELECT pg_notify('${OPERATIONS_CHANNEL}', json_build_object('operationId', operation_id, 'owner', owner)::text) FROM changed`;

interface Watcher {
  readonly socket: WebSocket;
  /** Resolves with the time at which the last state arrived. */
  readonly ended: Promise<number>;
}

const QUERY = `subscription($id: ID!) { operationUpdated(operationId: $id) { operationStatus progress { rows } } }`;

/** Speaks graphql-transport-ws itself: ten thousand clients of a library would need more memory than the server. */
async function watch(serverUrl: string, id: string): Promise<Watcher> {
  const socket = new WebSocket(`${serverUrl.replace(/^http/, "ws")}/graphql`, "graphql-transport-ws", {
    perMessageDeflate: false,
  });
  await once(socket, "open");
  const { promise: ended, resolve: end } = withResolvers<number>();
  const { promise: started, resolve: start } = withResolvers<void>();
  const closed = once(socket, "close").then(([code]) => {
    throw new Error(`the server has closed a WebSocket with code ${code}`);
  });
  socket.on("message", (data) => {
    const text = String(data);
    if (text.includes('"connection_ack"'))
      socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query: QUERY, variables: { id } } }));
    if (text.includes('"next"')) start();
    if (text.includes('"FAILED"')) end(performance.now());
  });
  socket.send('{"type":"connection_init"}');
  await Promise.race([started, closed]);
  closed.catch(() => {});
  return { socket, ended };
}

function withResolvers<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

export function watcherLines({ watchers, reached, bytesPerWatcher, endMs }: WatcherFigures): Line[] {
  return [
    ["watchers", "", "watchers", "reached the end", "KB/watcher", "ms to the last"],
    [
      "one operation",
      "over WebSocket",
      watchers.toLocaleString("en"),
      reached.toLocaleString("en"),
      (bytesPerWatcher / 1_024).toFixed(1),
      endMs.toFixed(0),
    ],
  ];
}
