import { AsyncLocalStorage } from "node:async_hooks";
import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "../../prisma/client/client.ts";
import { onceResolved } from "../async/once.ts";
import { untilIdle } from "../async/until-idle.ts";
import { connectionSettings } from "../config/connection-settings.ts";
import type { Logger } from "../observability/logger.ts";
import { SERVICE_WORK, type Work } from "../work/work.ts";
import { type Database, openPool, withOutage } from "./database.ts";
import { queryCancellably } from "./text-query.ts";

/** The work of the query that Prisma's client runs: its adapter, which sends the statements, gets no arguments of the caller. */
const queryWork = new AsyncLocalStorage<Work>();

/** The same as `openPool`, with Prisma's client. */
export function openDatabase(url: string, poolSize: number, logger: Logger): Database {
  const pooled = openPool(url, poolSize, logger);
  const { pool } = pooled;
  const { schema } = connectionSettings(url);
  const client = new PrismaClient({ adapter: new PrismaPg(boundToWork(pool), { schema }) });
  const loaded = onceResolved(() => loadWhenIdle(client));
  return {
    pool,
    prisma: (query, work) =>
      withOutage(async () => {
        await loaded();
        return await queryWork.run(work, async () => await query(client));
      }, work),
    async [Symbol.asyncDispose]() {
      await client.$disconnect();
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
    return queryCancellably<pg.QueryResult>(pool, (client, done) => client.query(statement, done), work);
  };
  return Object.create(pool, { query: { value: query } });
}
