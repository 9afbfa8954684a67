import { AsyncLocalStorage } from "node:async_hooks";
import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "../../prisma/client/client.ts";
import { onceResolved } from "../async/once.ts";
import { untilIdle } from "../async/until-idle.ts";
import { connectionSettings, withSchema } from "../config/connection-settings.ts";
import type { Logger } from "../observability/logger.ts";
import { SERVICE_WORK, type Work } from "../work/work.ts";
import { type Database, openPool, withOutage } from "./database.ts";
import { openReplicas, sendToServer } from "./replicas.ts";
import { queryCancellably } from "./text-query.ts";

/** The work of the query that Prisma's client runs: its adapter, which sends the statements, gets no arguments of the caller. */
const queryWork = new AsyncLocalStorage<Work>();

/**
 * The same as `openPool`, with Prisma's client. Statements are read from the servers of `readUrls` for work that allows it, see `replicas.ts`.
 */
export function openDatabase(
  url: string,
  poolSize: number,
  logger: Logger,
  readUrls: readonly string[] = [],
): Database {
  const pooled = openPool(url, poolSize, logger);
  const { pool } = pooled;
  const { schema } = connectionSettings(url);
  const urls = readUrls.map((readUrl) => withSchema(readUrl, schema));
  const openReplica = (readUrl: string, name: string) => openPool(readUrl, poolSize, logger, name);
  const replicas = urls.length === 0 ? null : openReplicas(pool, { urls, logger, openPool: openReplica });
  const client = new PrismaClient({ adapter: new PrismaPg(boundToWork(pool), { schema }) });
  const loaded = onceResolved(() => loadWhenIdle(client));
  return {
    pool,
    replicas,
    prisma: (query, work) =>
      withOutage(async () => {
        await loaded();
        return await queryWork.run(work, async () => await query(client));
      }, work),
    async [Symbol.asyncDispose]() {
      await client.$disconnect();
      await replicas?.[Symbol.asyncDispose]();
      await pooled[Symbol.asyncDispose]();
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
function boundToWork(pool: pg.Pool): pg.Pool {
  const query = (statement: pg.QueryConfig) => {
    const work = queryWork.getStore() ?? SERVICE_WORK;
    const send = (server: pg.Pool) =>
      queryCancellably<pg.QueryResult>(server, (client, done) => client.query(statement, done), work);
    return sendToServer(pool, work, send);
  };
  return Object.create(pool, { query: { value: query } });
}
