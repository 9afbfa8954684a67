import { AsyncLocalStorage } from "node:async_hooks";
import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "../../prisma/client/client.ts";
import { onceResolved } from "../async/once.ts";
import { untilIdle } from "../async/until-idle.ts";
import { connectionSettings, withSchema } from "../config/connection-settings.ts";
import type { Logger } from "../observability/logger.ts";
import { SERVICE_WORK, type Work } from "../work/work.ts";
import {
  type Database,
  type Databases,
  openPool,
  type PooledDatabase,
  type PrismaQuery,
  withOutage,
} from "./database.ts";
import { databaseName } from "./database-name.ts";
import { type PartitionId, type Placement, placementOf } from "./placement.ts";
import { openReplicas, sendToServer } from "./replicas.ts";
import { queryCancellably } from "./text-query.ts";

interface Query {
  readonly pool: pg.Pool;
  readonly work: Work;
}

/** The query that Prisma's client runs, and its database: its adapter, which sends the statements, gets no arguments of the caller. */
const present = new AsyncLocalStorage<Query>();

interface OpenOptions {
  /** Default: all rows are in the main database. */
  readonly placement?: Placement;
  /** Replicas of the main database, from which statements are read for work that allows it, see `replicas.ts`. Default: none. */
  readonly readUrls?: readonly string[];
}

/**
 * Opens the main database and those of the placement, each with a pool of this size that connects on the first query, and Prisma's client.
 */
export function openDatabase(
  url: string,
  poolSize: number,
  logger: Logger,
  { placement = placementOf({ evmChains: [], primaryNetworks: [] }, url), readUrls = [] }: OpenOptions = {},
): Databases {
  const opened = new Map<string, PooledDatabase>(
    placement.all.map((one) => [
      one,
      openPool(one, poolSize, logger, one === url ? "api" : `api ${databaseName(one)}`),
    ]),
  );
  const poolOf = (one: string): pg.Pool => (opened.get(one) as PooledDatabase).pool;
  const main = poolOf(url);
  const urls = readUrls.map((readUrl) => withSchema(readUrl, connectionSettings(url).schema));
  const openReplica = (readUrl: string, name: string) => openPool(readUrl, poolSize, logger, name);
  const replicas = urls.length === 0 ? null : openReplicas(main, { urls, logger, openPool: openReplica });
  const clients = createClients(main);
  const runIn =
    (urlOf: (partition: PartitionId) => string): PrismaQuery =>
    (query, work, partition) =>
      withOutage(async () => {
        const at = urlOf(partition);
        const client = await clients.load(connectionSettings(at).schema);
        return await present.run({ pool: poolOf(at), work }, async () => await query(client));
      }, work);
  const rowsOf = (urlOf: Placement["evm"]): Database => ({
    pool:
      placement.all.length === 1
        ? main
        : { poolOf: (partition) => poolOf(urlOf(partition)), pools: placement.all.map(poolOf) },
    prisma: runIn(urlOf),
  });
  return {
    pool: main,
    replicas,
    evm: rowsOf(placement.evm),
    primary: rowsOf(placement.primary),
    cells: new Map(placement.all.map((one) => [databaseName(one), poolOf(one)])),
    async [Symbol.asyncDispose]() {
      await clients.disconnect();
      await replicas?.[Symbol.asyncDispose]();
      await Promise.all([...opened.values()].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

/**
 * Prisma's client for each schema of tables. One serves all databases with the same schema: the query compiler takes 23 MB. The pool is
 * only the one whose other members the adapter reads.
 */
function createClients(pool: pg.Pool) {
  const clients = new Map<string, { readonly client: PrismaClient; readonly load: () => Promise<PrismaClient> }>();
  return {
    load(schema: string): Promise<PrismaClient> {
      let found = clients.get(schema);
      if (!found) {
        const client = new PrismaClient({ adapter: new PrismaPg(boundToWork(pool), { schema }) });
        const load = onceResolved(() => loadWhenIdle(client).then(() => client));
        found = { client, load };
        clients.set(schema, found);
      }
      return found.load();
    },
    async disconnect(): Promise<void> {
      await Promise.all([...clients.values()].map(({ client }) => client.$disconnect()));
    },
  };
}

/**
 * Loads the query compiler. The first query of a client would do this and then compile its plan without a pause, which holds the event loop
 * for 70 to 110 ms.
 */
async function loadWhenIdle(client: PrismaClient): Promise<void> {
  await untilIdle();
  await client.$connect();
  await untilIdle();
}

/** The pool as Prisma uses it: its statements are cancelled with the work of their query, as those of `prepared` are. */
function boundToWork(main: pg.Pool): pg.Pool {
  const query = (statement: pg.QueryConfig) => {
    const { pool, work } = present.getStore() ?? { pool: main, work: SERVICE_WORK };
    const send = (server: pg.Pool) =>
      queryCancellably<pg.QueryResult>(server, (client, done) => client.query(statement, done), work);
    return sendToServer(pool, work, send);
  };
  return Object.create(main, { query: { value: query } });
}
