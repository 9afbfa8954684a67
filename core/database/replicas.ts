import type pg from "pg";
import { repeat } from "../async/repeat.ts";
import { errorCode, messageOf } from "../errors/errors.ts";
import type { Logger } from "../observability/logger.ts";
import { observeReplica } from "../observability/observe.ts";
import { createOutageLog } from "../observability/outage-log.ts";
import { runOutsideRequests } from "../observability/request-id.ts";
import { serverChoiceOf } from "../work/server-choice.ts";
import type { Work } from "../work/work.ts";
import { reasonOf } from "./database-errors.ts";
import { serverName } from "./database-name.ts";
import { createPool, urlOf } from "./postgres/connect.ts";
import {
  createPositions,
  type Positions,
  readPosition,
  replicaContradiction,
  type ServerPosition,
} from "./replica-position.ts";

/** A replica that is further behind the primary server is not used. */
const MAX_LAG_SECONDS = 10;

/** A server whose position is not known after this time is not used. */
const TIMEOUT_MS = 2_000;
const PAUSE_MS = 1_000;

/** A replica as it was seen last. */
export interface ReplicaState {
  /** Host and port. */
  readonly name: string;
  /** How far it is behind the primary server; null if that is not known. */
  readonly lagSeconds: number | null;
  /** Why no request is read from it; null if requests are. */
  readonly reason: string | null;
}

/** The replicas of a database, from which the statements of some requests are read. */
export interface Replicas extends AsyncDisposable {
  states(): readonly ReplicaState[];
}

interface Replica extends AsyncDisposable {
  readonly pool: pg.Pool;
  readonly state: ReplicaState;
  /** Asks it for its position. Does not reject. */
  refresh(primary: Primary): Promise<void>;
  /** Keeps requests from it until it has answered again. */
  lost(error: unknown): void;
}

/** What is known of the primary server. */
interface Primary {
  readonly positions: Positions;
  /** Null before its first answer. */
  last: ServerPosition | null;
}

/** The replicas of each primary server's pool. */
const replicasOf = new WeakMap<pg.Pool, readonly Replica[]>();

interface ReplicasOptions {
  readonly urls: readonly string[];
  readonly logger: Logger;
  /** Opens a pool for the statements of requests. `name` is that of the pool in metrics. */
  openPool(url: string, name: string): { readonly pool: pg.Pool } & AsyncDisposable;
}

/**
 * Begins to ask the primary server and its replicas for their positions every second. A replica is used while it answers and is at most
 * `MAX_LAG_SECONDS` behind. While the primary server does not answer, replicas are compared with its last known position.
 */
export function openReplicas(pool: pg.Pool, options: ReplicasOptions): Replicas {
  const primary: Primary = { positions: createPositions(2 * MAX_LAG_SECONDS * 1_000), last: null };
  const source = openSource(urlOf(pool));
  const replicas = options.urls.map((url) => openReplica(url, options));
  const refresh = async () => {
    try {
      primary.last = await source.read();
      if (primary.last.position !== null) primary.positions.add(primary.last.position, performance.now());
    } catch {
      // The requests that need it say why it cannot be used.
    }
    await Promise.all(replicas.map((replica) => replica.refresh(primary)));
  };
  replicasOf.set(pool, replicas);
  const first = runOutsideRequests(refresh);
  const stop = runOutsideRequests(() => repeat(refresh, PAUSE_MS));
  return {
    states: () => replicas.map(({ state }) => state),
    async [Symbol.asyncDispose]() {
      replicasOf.delete(pool);
      await first;
      await stop();
      for (const opened of [source, ...replicas]) await opened[Symbol.asyncDispose]();
    },
  };
}

const UNKNOWN = "its position is not known yet";

function openReplica(url: string, { logger, openPool }: ReplicasOptions): Replica {
  const name = serverName(url);
  const opened = openPool(url, `replica ${name}`);
  const source = openSource(url);
  const outage = createOutageLog({ logger, subject: `the replica ${name} of the database` });
  let state: ReplicaState = { name, lagSeconds: null, reason: UNKNOWN };
  const observation = observeReplica(name, () => state);
  const lost = (error: unknown) => {
    state = { name, lagSeconds: null, reason: `it cannot be used: ${reasonOf(error)}` };
    outage.failed({}, state.reason ?? "");
  };
  opened.pool.on("error", lost);
  return {
    pool: opened.pool,
    lost,
    get state() {
      return state;
    },
    async refresh(primary) {
      try {
        state = { name, ...judged(await source.read(), primary) };
      } catch (error) {
        return lost(error);
      }
      if (state.reason === null) outage.succeeded();
      else if (state.reason !== UNKNOWN) outage.failed({}, state.reason);
    },
    async [Symbol.asyncDispose]() {
      observation[Symbol.dispose]();
      await source[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Whether a replica at this position is used. */
function judged(replica: ServerPosition, { positions, last }: Primary): Omit<ReplicaState, "name"> {
  const contradiction = last && replicaContradiction(replica, last);
  if (contradiction) return { lagSeconds: null, reason: contradiction };
  if (replica.position === null) return { lagSeconds: null, reason: "it does not say what it has replayed" };
  const lagSeconds = positions.lagOf(replica.position);
  if (lagSeconds === null) return { lagSeconds, reason: UNKNOWN };
  const isBehind = lagSeconds > MAX_LAG_SECONDS;
  return { lagSeconds, reason: isBehind ? `it is more than ${MAX_LAG_SECONDS} s behind` : null };
}

/** A connection of its own, so that a question does not wait for the statements of requests. */
function openSource(url: string): AsyncDisposable & { read(): Promise<ServerPosition> } {
  const pool = createPool(url, {
    max: 1,
    application_name: "moraine: replicas",
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    statementTimeoutMs: TIMEOUT_MS,
  });
  // The next question finds out.
  pool.on("error", () => {});
  return { read: () => readPosition(pool), [Symbol.asyncDispose]: () => pool.end() };
}

let turn = 0;

/** The replica of this work; null if its statements are read from the primary server `pool`. */
function replicaOf(pool: pg.Pool, work: Work): Replica | null {
  const replicas = replicasOf.get(pool);
  const choice = replicas && serverChoiceOf(work);
  if (!choice || choice.isPrimary) return null;
  const chosen = choice.replicas.get(pool) as Replica | null | undefined; // set below
  // Never another replica, which may be further behind: what a request reads later must not be older.
  if (chosen !== undefined) return chosen?.state.reason === null ? chosen : null;
  const usable = replicas.filter(({ state }) => state.reason === null);
  const replica = usable[turn++ % usable.length] ?? null;
  choice.replicas.set(pool, replica);
  if (replica) choice.wasReplica = true;
  return replica;
}

/** Calls `send` with the pool of the server from which the statements of some work are read. */
export function sendToServer<Result>(
  pool: pg.Pool,
  work: Work,
  send: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> {
  const replica = replicaOf(pool, work);
  if (!replica) return send(pool);
  return send(replica.pool).catch((error: unknown) => {
    if (isLost(error)) replica.lost(error);
    throw error;
  });
}

/** True if the connection was lost or could not be opened. A statement that took too long says nothing of the server. */
function isLost(error: unknown): boolean {
  const code = String(errorCode(error) ?? "");
  return (
    /^(ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|EPIPE|08|57P0)/.test(code) ||
    /^Connection terminated/.test(messageOf(error))
  );
}
