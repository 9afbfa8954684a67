import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { PrismaClient } from "../../prisma/client/client.ts";
import { createConcurrencyLimit } from "../async/concurrency-limit.ts";
import { untilIdle } from "../async/until-idle.ts";
import { errorCode, Failure, messageOf } from "../errors/errors.ts";
import { isOutage } from "../errors/outage.ts";
import type { Heads, ListRows } from "../graph/page.ts";
import type { Logger } from "../observability/logger.ts";
import { observePool, observeStatement, type RunStatement } from "../observability/observe.ts";
import type { Work } from "../work/work.ts";
import { logLostConnections } from "./lost-connections.ts";
import type { PartitionId } from "./placement.ts";
import { createPool } from "./postgres/connect.ts";
import { type Replicas, sendToServer } from "./replicas.ts";
import { compileRows, HEAD_COLUMN, headOf, type TextRows, type ToRows } from "./rows.ts";
import { type RoutedValues, routeOf, type StatementPool } from "./statement-pool.ts";
import { enableCancelling, queryTexts, type Statement, TextClient } from "./text-query.ts";

/** A database, read by statements. */
export interface PooledDatabase extends AsyncDisposable {
  readonly pool: pg.Pool;
}

/** What stores read: one database, or the databases that each have some of the chains or networks. */
export interface Database {
  /** Where prepared statements are sent. */
  readonly pool: StatementPool;
  /**
   * Runs a query of Prisma's client for some work, under the rules of a prepared statement. The first call loads the query compiler, which
   * takes 23 MB and two turns of the event loop.
   */
  readonly prisma: PrismaQuery;
}

/** Runs a query of Prisma's client in the database of a chain or network, whose rows alone it reads. */
export type PrismaQuery = <Result>(
  query: (client: PrismaClient) => PromiseLike<Result>,
  work: Work,
  partition: PartitionId,
) => Promise<Result>;

/** The databases of a service. With one database, all members read it. */
export interface Databases extends PooledDatabase {
  /** The main database, which has the rows that belong to no chain. */
  readonly pool: pg.Pool;
  /** The rows of EVM chains. */
  readonly evm: Database;
  /** The rows of primary networks. */
  readonly primary: Database;
  /** The pool of each database by a name without a password. The main database is the first. */
  readonly cells: ReadonlyMap<string, pg.Pool>;
  /** The replicas of the main database. Null if it has none. */
  readonly replicas: Replicas | null;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Callers must not wait forever for a database that hangs. */
const QUERY_TIMEOUT_MS = 10_000;

/**
 * The database without Prisma, whose client takes several MB. Connects on the first query. A lost idle connection is logged and
 * replaced. `name` is that of the pool in metrics.
 */
export function openPool(url: string, poolSize: number, logger: Logger, name = "api"): PooledDatabase {
  const pool = createPool(url, {
    Client: TextClient,
    max: poolSize,
    application_name: "moraine",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    // PostgreSQL ends a statement that takes too long. The timeout above only ends the wait for it.
    statementTimeoutMs: QUERY_TIMEOUT_MS,
  });
  logLostConnections(pool, logger, name);
  const observation = observePool(name, pool);
  const cancelling = enableCancelling(pool);
  return {
    pool,
    async [Symbol.asyncDispose]() {
      observation[Symbol.dispose]();
      await cancelling[Symbol.asyncDispose]();
      await pool.end();
    },
  };
}

/** A statement with a name, which runs for some work. */
export interface PreparedStatement<Row> {
  /**
   * Runs the statement. Columns are `0x` hex for bytes, numbers for INT and FLOAT, decimal text for larger types. Fails with `UNAVAILABLE`
   * and the reason if the database cannot be used. It is not sent if the work is cancelled, and is cancelled with it.
   */
  (values: unknown[], work: Work): Promise<Row[]>;
  /** As the statement itself, with the number in its column `HEAD_COLUMN`; null without rows. */
  withHead(values: unknown[], work: Work): Promise<{ readonly rows: Row[]; readonly head: string | null }>;
  /** The statement with its values, for `runTogether`. */
  with(values: unknown[]): StatementRun<Row>;
  /** The same for values whose list `$1` may name chains of several databases: one for each database. */
  withEach(values: unknown[]): StatementRun<Row>[];
}

/** A prepared statement and its values, which name at most one chain or network by `$1`. */
export interface StatementRun<Row> {
  readonly pool: pg.Pool;
  readonly statement: Statement;
  readonly observed: RunStatement;
  rowsOf(result: TextRows): Row[];
}

/** A statement whose parameter `$1` is a chain or a network, by which tables are partitioned. */
const NAMES_PARTITION = /\b(chain_id|network_id) = \$1(?!\d)/;
const IS_NUMBER = /^\d+$/;

/**
 * PostgreSQL reads 63 bytes of the name of a prepared statement. So a name there is the beginning of the name here, with a number that no other
 * statement of the process has, and room for `@` and the id of a chain or network.
 */
const NAME_LENGTH = 36;
let statementCount = 0;

/** Returns a statement that each connection prepares once, or, if it reads one partition, once for each partition. */
export function prepared<Row extends pg.QueryResultRow>(
  source: StatementPool,
  name: string,
  text: string,
): PreparedStatement<Row> {
  const observed = observeStatement(name);
  const route = routeOf(source);
  const namesPartition = NAMES_PARTITION.test(text);
  const sessionName = `${name.slice(0, NAME_LENGTH)}-${++statementCount}`;
  const statementOf = (values: unknown[]): Statement => {
    const id = namesPartition ? String(values[0]) : "";
    return { name: sessionName, text, values, partition: IS_NUMBER.test(id) ? id : null };
  };
  let toRows: ToRows<Row> | undefined;
  const rowsOf = (result: TextRows): Row[] => {
    if (result.parts.length === 0) return [];
    toRows ??= compileRows<Row>(result);
    return toRows(result);
  };
  const resultOf = async ({ pool, values }: RoutedValues, work: Work): Promise<TextRows> => {
    const send = () => sendTexts(pool, [statementOf(values)], work);
    const [result] = await observed(send, (error) => outageOf(error, work));
    if (work.isHeavy || isLarge(result as TextRows)) await untilIdle();
    return result as TextRows;
  };
  const run = async (values: unknown[], work: Work): Promise<Row[]> => {
    const [only, ...others] = route(values);
    if (!only) return [];
    if (others.length === 0) return rowsOf(await resultOf(only, work));
    return (await Promise.all([only, ...others].map((one) => resultOf(one, work)))).flatMap(rowsOf);
  };
  const onlyRoute = (values: unknown[]): RoutedValues => {
    const [only, ...others] = route(values);
    if (only && others.length === 0) return only;
    throw new Error(`the statement ${name} must read one database`);
  };
  const withHead: PreparedStatement<Row>["withHead"] = async (values, work) => {
    const result = await resultOf(onlyRoute(values), work);
    return { rows: rowsOf(result), head: headOf(result) };
  };
  const runOf = ({ pool, values }: RoutedValues) => ({ pool, statement: statementOf(values), observed, rowsOf });
  return Object.assign(run, {
    withHead,
    with: (values: unknown[]) => runOf(onlyRoute(values)),
    withEach: (values: unknown[]) => route(values).map(runOf),
  });
}

/**
 * Runs several statements, those of a database in their order on one connection, and returns the rows of each. It sends them together, which
 * takes much less processor time than one after the other. But each waits for those before it, so use it only for statements that take
 * little time. Fails as each of them would.
 */
export async function runTogether<Rows extends readonly unknown[]>(
  runs: { readonly [Index in keyof Rows]: StatementRun<Rows[Index]> },
  work: Work,
): Promise<{ [Index in keyof Rows]: Rows[Index][] }> {
  const all: readonly StatementRun<unknown>[] = runs;
  const [first] = all;
  if (!first) return [] as { [Index in keyof Rows]: Rows[Index][] };
  if (all.every(({ pool }) => pool === first.pool))
    return (await sendRuns(first.pool, all, work)) as { [Index in keyof Rows]: Rows[Index][] };
  const byPool = new Map<pg.Pool, StatementRun<unknown>[]>();
  for (const run of all) {
    const ofPool = byPool.get(run.pool);
    if (ofPool) ofPool.push(run);
    else byPool.set(run.pool, [run]);
  }
  const sent = await Promise.all([...byPool].map(([pool, ofPool]) => sendRuns(pool, ofPool, work)));
  const rows = new Map(
    [...byPool.values()].flatMap((ofPool, pool) => ofPool.map((run, at) => [run, sent[pool]?.[at]])),
  );
  return all.map((run) => rows.get(run)) as { [Index in keyof Rows]: Rows[Index][] };
}

/** Runs statements of one database, and returns the rows of each. */
async function sendRuns(pool: pg.Pool, runs: readonly StatementRun<unknown>[], work: Work): Promise<unknown[][]> {
  const statements = runs.map(({ statement }) => statement);
  const sent = sendTexts(pool, statements, work);
  const errorOf = (error: unknown) => outageOf(error, work);
  // Each has the duration of all.
  await Promise.all(runs.map(({ observed }) => observed(() => sent, errorOf)));
  const results = await sent;
  if (work.isHeavy || results.some(isLarge)) await untilIdle();
  return runs.map(({ rowsOf }, at) => rowsOf(results[at] as TextRows));
}

/** Statements that all operations which wait for nodes or validators run at the same time: these operations take no places of light ones. */
export const REMOTE_STATEMENTS = 2;
const remoteStatements = createConcurrencyLimit(REMOTE_STATEMENTS);

function sendTexts(pool: pg.Pool, statements: readonly Statement[], work: Work): Promise<TextRows[]> {
  const send = () => sendToServer(pool, work, (server) => queryTexts(server, statements, work));
  return work.costClass === "remote" ? remoteStatements(send) : send();
}

/** Rows with more characters take some milliseconds. A page of 100 transfers has about 60,000. */
const LARGE_ROWS = 200_000;

/** True if the rows are so many that they are made in a turn of their own. */
function isLarge({ parts }: TextRows): boolean {
  let characters = 0;
  for (const part of parts) characters += part.length;
  return characters > LARGE_ROWS;
}

/**
 * Runs a task that uses the database. If the database cannot be used, fails with `UNAVAILABLE` and the reason. If the work of the task is
 * cancelled meanwhile, fails with the reason of that.
 */
export async function withOutage<Result>(task: () => Promise<Result>, work?: Work): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    throw outageOf(error, work);
  }
}

/** The error of a task that used the database, as `withOutage` throws it. */
function outageOf(error: unknown, work?: Work): unknown {
  return work?.reason ?? unavailable(error) ?? error;
}

/** Messages for callers, by the error of the driver or of Prisma. The first match is used. */
const OUTAGE_MESSAGES: readonly (readonly [pattern: RegExp, message: string])[] = [
  [
    /timeout exceeded when trying to connect|P2024/,
    "the service is overloaded: no database connection became free in time",
  ],
  [/53300|too many (clients|connections)/i, "the service is overloaded: the database accepts no more connections"],
  [/^53[12]00/, "the database server has no free disk space or memory"],
  [/^25006/, "the database is read-only"],
  [/Query read timeout|57014/, `the database did not answer within ${QUERY_TIMEOUT_MS / 1_000} s, try again later`],
  [/./s, "the database cannot be reached"],
];

/** Returns the failure for callers if the error is an outage of the database, with its reason; otherwise null. */
export function unavailable(error: unknown): Failure | null {
  if (!isOutage(error)) return null;
  const code = errorCode(error) ?? "";
  const text = `${String(code)} ${messageOf(error)}`;
  const [, message = ""] = OUTAGE_MESSAGES.find(([pattern]) => pattern.test(text)) ?? [];
  return new Failure("UNAVAILABLE", message, error);
}

/** Returns the installation's secret with that name. The first call of any process creates it; later ones write nothing. */
export async function loadSecret(pool: pg.Pool, name: string): Promise<Buffer> {
  const read = async () =>
    (await pool.query<{ value: Buffer }>("SELECT value FROM secrets WHERE name = $1", [name])).rows[0]?.value;
  const known = await read();
  if (known) return known;
  await pool.query("INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", [name, randomBytes(32)]);
  return (await read()) as Buffer;
}

/** How far the EVM chain `$1` is indexed. */
export const EVM_HEAD = "SELECT block_number FROM chain_heads WHERE chain_id = $1";

/**
 * How far a chain (SQL expression) of the primary network `$1` is indexed. The last block alone does not show it: the X-Chain begins with
 * vertices, which only the raw blocks count.
 */
export const primaryHead = (chain: string): string =>
  `SELECT block_number + raw_seq FROM primary_heads WHERE network_id = $1 AND chain = ${chain}`;

/** How far the P-Chain of the primary network `$1` is indexed. */
export const P_CHAIN_HEAD = primaryHead("'P'");

/** Reads the rows of a list, with the head of its chain at the same moment. */
export type ReadList<Row> = (values: unknown[], work: Work) => Promise<ListRows<Row>>;

/**
 * Returns a statement for the rows of a list, which each connection prepares once. `head` is a SELECT with the head of the list's chain.
 * Its parameters are the first ones of the statement. If there are no rows, the head is read by another statement when it is needed.
 */
export function preparedList<Row extends pg.QueryResultRow>(
  pool: StatementPool,
  name: string,
  text: string,
  head: string,
): ReadList<Row> {
  const read = prepared<Row>(pool, name, `SELECT list.*, (${head}) AS "${HEAD_COLUMN}" FROM (${text}) list`);
  const headOf = preparedHead(pool, `${name}-head`, head);
  return async (values, work) => {
    const { rows, head } = await read.withHead(values, work);
    return { rows, heads: () => (head === null ? headOf(values, work) : [head]) };
  };
}

/** Reads a head alone. It is -1 if nothing of the chain is indexed. */
function preparedHead(
  pool: StatementPool,
  name: string,
  head: string,
): (values: readonly unknown[], work: Work) => Promise<Heads> {
  const parameters = Math.max(...[...head.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const read = prepared<{ head: string | null }>(pool, name, `SELECT (${head}) AS head`);
  return async (values, work) => {
    const [row] = await read(values.slice(0, parameters), work);
    return [row?.head ?? "-1"];
  };
}
