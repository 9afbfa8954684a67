import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "../prisma/client/client.ts";
import { heavyTurn } from "./admission/heavy-turns.ts";
import { type Database, type DatabaseOptions, openPool } from "./database.ts";
import type { Logger } from "./logger.ts";
import { currentScope } from "./observability/request-scope.ts";
import { onceResolved } from "./once.ts";
import { connectionSettings } from "./postgres/connection-settings.ts";
import { queryCancellably } from "./work/cancellable-query.ts";

/** The same as `openPool`, with Prisma's client. */
export function openDatabase(url: string, poolSize: number, logger: Logger, options?: DatabaseOptions): Database {
  const pooled = openPool(url, poolSize, logger, options);
  const { pool } = pooled;
  const { schema } = connectionSettings(url);
  const prisma = new PrismaClient({ adapter: new PrismaPg(boundToRequests(pool), { schema }) });
  return {
    pool,
    prisma: onceResolved(() => loadInTurns(prisma)),
    async [Symbol.asyncDispose]() {
      await prisma.$disconnect();
      await pooled[Symbol.asyncDispose]();
    },
  };
}

/**
 * Loads the query compiler. The first query of a client would do this and then compile its plan without a pause, which holds the event loop
 * for 70 to 110 ms.
 */
async function loadInTurns(prisma: PrismaClient): Promise<PrismaClient> {
  await heavyTurn();
  await prisma.$connect();
  await heavyTurn();
  return prisma;
}

/** The pool as Prisma uses it: its statements belong to the request for which they run, as those of `prepared` do. */
function boundToRequests(pool: pg.Pool): pg.Pool {
  const query = (statement: pg.QueryConfig) =>
    queryCancellably<pg.QueryResult>(pool, (client, done) => client.query(statement, done), currentScope()?.work);
  return Object.create(pool, { query: { value: query } });
}
