import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "../prisma/client/client.ts";
import { type Database, type DatabaseOptions, openPool } from "./database.ts";
import type { Logger } from "./logger.ts";
import { currentScope } from "./observability/request-scope.ts";
import { queryCancellably } from "./work/cancellable-query.ts";

/** The same as `openPool`, with Prisma's client. */
export function openDatabase(url: string, poolSize: number, logger: Logger, options?: DatabaseOptions): Database {
  const pooled = openPool(url, poolSize, logger, options);
  const { pool } = pooled;
  const prisma = new PrismaClient({ adapter: new PrismaPg(boundToRequests(pool)) });
  return {
    pool,
    prisma,
    async [Symbol.asyncDispose]() {
      await prisma.$disconnect();
      await pooled[Symbol.asyncDispose]();
    },
  };
}

/** The pool as Prisma uses it: its statements belong to the request for which they run, as those of `prepared` do. */
function boundToRequests(pool: pg.Pool): pg.Pool {
  const query = (statement: pg.QueryConfig) =>
    queryCancellably<pg.QueryResult>(pool, (client, done) => client.query(statement, done), currentScope()?.work);
  return Object.create(pool, { query: { value: query } });
}
